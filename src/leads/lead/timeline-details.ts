/** The details of entries of a timeline: each kind writes and reads its own in the same way. */
import { callIn } from './call-outcomes.ts'
import type { MailFacts, TimelineEntry } from './timeline-entries.ts'

/** Replaces the id of the owner in an entry that says that a lead was assigned to the team. */
export const THE_TEAM = 'the team'

/** Who got the lead, by an entry about an assignment or the undo of one: an id, or null for the team. */
export function ownerIn(detail: string): string | null {
  const [owner = ''] = detail.replace(/^assigned: /, '').split(':')
  return owner === THE_TEAM ? null : owner
}

/**
 * Where an email came from, as far as we know: the person's address, another one, or an address that is not proven.
 * Each counts separately, so that none can use up the limit of another.
 */
export type Origin = 'known' | 'other' | 'unproven'

export function originOf(mail: MailFacts | null | undefined): Origin {
  if (mail?.unproven) return 'unproven'
  return mail?.from === undefined && mail?.address === undefined ? 'known' : 'other'
}

/** A message to the staff that did not arrive, and a sentence that says why. */
export type FailedDelivery = { name: string; address: string; reason: string }

/** The detail of an entry of the kind `email` about a message that did not arrive. */
export const failedDeliveryDetail = ({ name, address, reason }: FailedDelivery): string =>
  `not delivered to ${name} <${address}>: ${reason}`

/** Reads the detail of an entry about a message that did not arrive; undefined if the message was sent. */
export function failedDelivery(detail: string): FailedDelivery | undefined {
  const [, name = '', address = '', reason] = /^not delivered to ([^<>]*) <([^<> ]+)>: (.*)$/s.exec(detail) ?? []
  return reason === undefined ? undefined : { name, address, reason }
}

/** The detail of an inquiry from an imported list; other inquiries have their screening signals there. */
export const IMPORTED = 'imported'

/** The first word in the detail of an inquiry that completes the one before it, and the second if it corrects it. */
export const COMPLETED = 'completed'
export const CORRECTED = 'corrected'

/** Whether an inquiry completes another one. If not, it is a further inquiry. */
export const isCompleted = (detail: string): boolean => detail.split(',')[0] === COMPLETED

/** Whether an inquiry completes another one by correcting it. */
export const isCorrection = (detail: string): boolean => isCompleted(detail) && detail.split(',')[1] === CORRECTED

/** The screening signals in the detail of an inquiry. */
export const signalsIn = (detail: string): string[] =>
  detail === IMPORTED ? [] : detail.split(',').filter(word => word !== '' && word !== COMPLETED && word !== CORRECTED)

/** The detail of an entry about a merge with a lead whose person has since been erased. */
export const otherErased = (id: number): string => `Lead ${id} (erased)`

/**
 * The entry as an export of the person's data shows it: if someone merged their lead with another person's by mistake,
 * it leaves out the other person. Merges that were not undone are with leads of the same person.
 */
export function withoutOthers<E extends Pick<TimelineEntry, 'kind' | 'detail' | 'undoneAt' | 'was'>>(entry: E): E {
  const { kind, detail, undoneAt } = entry
  const apart = kind === 'unmerged' || (kind === 'merged' && undoneAt !== null)
  const other = apart ? otherLeadIn(detail) : undefined
  return other === undefined ? entry : { ...entry, detail: `Lead ${other.id}`, was: null }
}

/** The lead that another was merged with or separated from, by the detail of that entry: its id, and its person. */
export function otherLeadIn(detail: string): { id: number; who: string } | undefined {
  const [, id, who = ''] = /^Lead (\d{1,15}): (.*)$/s.exec(detail) ?? []
  return id === undefined ? undefined : { id: Number(id), who }
}

/** The text from staff or the person in an entry, for searches. Empty for other kinds and for unproven emails. */
export function textIn({ kind, detail, mail }: Pick<TimelineEntry, 'kind' | 'detail' | 'mail'>): string {
  if (mail?.unproven) return ''
  switch (kind) {
    case 'note':
      return detail
    case 'attempt':
      return callIn(detail).note
    case 'callback':
    case 'callback-ended':
      return detail.split('\n').slice(1).join('\n')
    case 'reply':
    case 'message':
    case 'copy':
    case 'staff-mail':
      return `${mail?.subject ?? ''}\n${detail}`
    default:
      return ''
  }
}
