/** The outcome of a call to a person. */

/** The outcomes. Only the first means that someone spoke with the person. */
export const callOutcomes = ['reached', 'no answer', 'voicemail', 'busy', 'wrong number', 'call back'] as const

/** The outcomes that need no further fact. `call back` needs the moment of the call, too. */
export const plainOutcomes = callOutcomes.filter(outcome => outcome !== 'call back')

/** Whether someone should think about calling again. */
export const triesAgain = (outcome: CallOutcome): boolean => ['no answer', 'voicemail', 'busy'].includes(outcome)

export type CallOutcome = (typeof callOutcomes)[number]

/** The detail of the entry about a call: its outcome, and a note on it, which may be empty. */
export const callDetail = (outcome: CallOutcome, note: string): string =>
  note === '' ? outcome : `${outcome}: ${note}`

export function callIn(detail: string): { outcome: CallOutcome; note: string } {
  const outcome = callOutcomes.find(one => detail === one || detail.startsWith(`${one}: `)) ?? 'no answer'
  return { outcome, note: detail.slice(outcome.length + 2) }
}

/** The outcome in the words of a timeline. */
export const callWords: Record<CallOutcome, string> = {
  reached: 'spoke with them',
  'no answer': 'no answer',
  voicemail: 'left a voicemail',
  busy: 'busy',
  'wrong number': 'wrong number',
  'call back': 'asked to be called back',
}
