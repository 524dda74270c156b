/** What `/forms` says about the forms of this school: how high they are, and who may embed them. */
import type { Settings } from '../../config/settings.ts'
import { rankedFields } from '../../leads/body/body-schemas.ts'

/** In pixels, on a phone, in the language with the longest words: without a question from a list, and for each. */
const FORM_HEIGHT = { site: 1200, student: 1350 }
const QUESTION_HEIGHT = 110

export function formSnippets({ forms, studentInterest }: Settings) {
  const questions = rankedFields.filter(
    name => forms.student.fields[name] !== 'hidden' && (studentInterest.answers[name]?.allowed?.length ?? 0) > 0,
  )
  return {
    site: { height: FORM_HEIGHT.site },
    student: { height: FORM_HEIGHT.student + QUESTION_HEIGHT * questions.length },
    embed_on: forms.embedOn === 'any' ? null : forms.embedOn,
  }
}
