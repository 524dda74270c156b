/** The answers of a student as the team reads them. */
import type { RankedField, StudentInterest } from './body-schemas.ts'

/** The school's settings for each ranked question. */
export type RankedQuestions = {
  [K in RankedField]?: {
    /** The only answers that we accept; if left out, we accept any. */
    allowed?: string[]
    /** Which end of the scale means a warmer lead. */
    hotter?: 'low' | 'high'
  }
}

export type AnswerInWords = {
  label: string
  value: string
  /** Which end of the scale is warmer, if the school has said so. */
  hint: string | null
}

const labels: Record<RankedField, string> = {
  timeline: 'Timeline',
  interestLevel: 'Interest level',
  experience: 'Experience',
  source: 'Heard about us from',
}

/** The answers that the student gave. */
export function answersInWords(body: StudentInterest, questions: RankedQuestions): AnswerInWords[] {
  const location = [body.city, body.state].filter(Boolean).join(', ')
  const ranked = (Object.keys(labels) as RankedField[]).map(field => {
    const hotter = questions[field]?.hotter
    const hint = hotter && (hotter === 'low' ? 'lower is warmer' : 'higher is warmer')
    return { label: labels[field], value: body[field]?.text ?? '', hint: hint ?? null }
  })
  return [
    { label: 'Location', value: location, hint: null },
    ...ranked,
    { label: 'Employer', value: body.employer ?? '', hint: null },
  ].filter(({ value }) => value !== '')
}
