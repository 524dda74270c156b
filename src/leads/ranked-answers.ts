/** The answers of a student in words, with the labels that people know them by. */
import type { Settings } from '../config/settings.ts'
import type { RankedField, StudentInterest } from './schema.ts'

export type AnswerInWords = {
  label: string
  value: string
  /** Which end of the scale is warmer, where the settings know. */
  hint: string | null
}

const RANKED: [RankedField, string][] = [
  ['timeline', 'Timeline'],
  ['interestLevel', 'Interest level'],
  ['experience', 'Experience'],
  ['source', 'Heard about us from'],
]

/** Those that were given. */
export function answersInWords(
  body: StudentInterest,
  { studentInterest }: Settings,
): AnswerInWords[] {
  const location = [body.city, body.state].filter(Boolean).join(', ')
  const ranked = RANKED.map(([field, label]) => {
    const hotter = studentInterest.answers[field]?.hotter
    const hint = hotter && (hotter === 'low' ? 'lower is warmer' : 'higher is warmer')
    return { label, value: body[field]?.text ?? '', hint: hint ?? null }
  })
  return [
    { label: 'Location', value: location, hint: null },
    ...ranked,
    { label: 'Employer', value: body.employer ?? '', hint: null },
  ].filter(({ value }) => value !== '')
}
