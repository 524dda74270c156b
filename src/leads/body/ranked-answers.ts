/** The answers of a student, in the words that the team reads. */
import type { Answers } from '../lead/last-given.ts'
import type { RankedField } from './body-schemas.ts'
import { capital } from './tidy-text.ts'

/** The school's settings for each ranked question. */
export type RankedQuestions = {
  [K in RankedField]?: {
    /** The only answers that we accept. Default: any. */
    allowed?: string[]
    /** Which end of the scale means a warmer lead. */
    hotter?: 'low' | 'high'
    /** The form's label for each answer, by language, in the same order. */
    labels?: Record<string, string[]>
  }
}

export type AnswerInWords = { label: string; value: string }

const labels: Record<RankedField, string> = {
  timeline: 'Start',
  interestLevel: 'Interest',
  experience: 'Experience',
  source: 'Heard of us',
}

/** The fields, in the order in which the team reads them. */
const shownFields = Object.keys(labels) as RankedField[]

/** The answers that the student gave, without their ranks. */
export function answersInWords(answers: Answers): AnswerInWords[] {
  const location = [answers.city, answers.state].filter(Boolean).join(', ')
  return [
    { label: 'Location', value: location },
    ...shownFields.map(field => ({ label: labels[field], value: withoutRank(answers[field]?.text) })),
    { label: 'Employer', value: answers.employer ?? '' },
  ].filter(({ value }) => value !== '')
}

/** An answer without its rank: `Within three months` of `2 - Within three months`. */
export const withoutRank = (text = ''): string => text.replace(/^\d - /, '')

/** An answer in lower case and without its rank, as the settings spell it, or with a capital letter. */
export const answerNamed = (answer: string, allowed: readonly string[] = []): string =>
  allowed.map(one => withoutRank(one)).find(one => one.trim().toLowerCase() === answer) ?? capital(answer)

/** In words: `start within three months`; or the answer itself if "start" does not fit before it; null for none. */
export function timelineInWords({ timeline }: Answers): string | null {
  const words = withoutRank(timeline?.text)
  if (words === '') return null
  if (!/^(after|as soon|before|by|immediately|in|next|now|right away|soon|this|within)\b/i.test(words)) return words
  return `start ${words.charAt(0).toLowerCase()}${words.slice(1)}`
}

/** The lowest and the highest rank of a question whose answers the settings do not list. */
const USUAL_SCALE = [1, 5] as const

/**
 * How warm a student's answers are, from 0 to 1: the average over the questions for which the school has said which end
 * of the scale is warmer. Null if none of these was answered.
 */
export function heatIn(answers: Answers, questions: RankedQuestions): number | null {
  const scores = shownFields.flatMap(field => {
    const { hotter, allowed } = questions[field] ?? {}
    const rank = answers[field]?.rank
    if (hotter === undefined || rank === undefined) return []
    const ranks = allowed?.map(answer => Number(answer[0])) ?? USUAL_SCALE
    const [lowest, highest] = [Math.min(...ranks), Math.max(...ranks)]
    if (lowest === highest) return []
    const height = Math.min(1, Math.max(0, (rank - lowest) / (highest - lowest)))
    return [hotter === 'high' ? height : 1 - height]
  })
  if (scores.length === 0) return null
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}

/** How warm a student's answers are, in a word. */
export function warmthOf(answers: Answers, questions: RankedQuestions): 'Hot' | 'Warm' | 'Cool' | null {
  const heat = heatIn(answers, questions)
  if (heat === null) return null
  if (heat >= 2 / 3) return 'Hot'
  return heat >= 1 / 3 ? 'Warm' : 'Cool'
}
