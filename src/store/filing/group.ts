/**
 * Files several submissions together: one statement does for all of them what would otherwise be one for
 * each. After a rush there are thousands, and every statement is a round trip.
 */
import type { Transaction } from 'kysely'
import { emailKey, mailboxKey } from '../../leads/body/email.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import { indexedWords } from '../../leads/words/search-words.ts'
import { carryOutEntered } from '../actions/entered-leads.ts'
import { addPrograms } from '../actions/lead-labels.ts'
import { mailboxesWithLeads } from '../leads/same-mailbox.ts'
import { addEntries } from '../leads/timeline.ts'
import { addWords, saveWords } from '../leads/words.ts'
import { addMails, type NewMessage } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import type { Filing, LeadFiling } from './decision.ts'
import { gatheredMail } from './gathered-notifications.ts'
import { assertNotMerged } from './join-merged-lead.ts'
import { type Joined, joinOrOpenLeads } from './join-or-open-lead.ts'
import { saveTexts } from './message-texts.ts'
import type { UnassignedLead } from './owner-assignment.ts'
import { addToQuarantine, dismissRepeated, isOneOfMany, withQuarantined } from './quarantine-filing.ts'
import { receiptsFor } from './receipts.ts'

/**
 * Divides submissions into groups in which no two come from the same mailbox, so that what becomes of one
 * does not depend on another. The groups are in the order of the addresses: every process files in that
 * order, so that no two wait for each other's leads.
 */
export function groupsOf(filings: readonly Filing[]): Filing[][] {
  const groups: Filing[][] = []
  let mailboxes = new Set<string>()
  for (const filing of filings.toSorted(byAddress)) {
    const mailbox = mailboxKey(addressOf(filing))
    if (groups.length === 0 || mailboxes.has(mailbox)) {
      groups.push([])
      mailboxes = new Set()
    }
    mailboxes.add(mailbox)
    groups.at(-1)?.push(filing)
  }
  return groups
}

/** The address that a submission is filed under: the kept lead's, if the person's was merged into it. */
const addressOf = (filing: Filing): string => ('person' in filing ? filing.person.email : filing.email)

function byAddress(one: Filing, other: Filing): number {
  const [key, otherKey] = [emailKey(addressOf(one)), emailKey(addressOf(other))]
  if (key === otherKey) return one.submission.id - other.submission.id
  return key < otherKey ? -1 : 1
}

type GroupOutcome = {
  /** How many became part of leads. */
  passed: number
  /** New leads that need an owner. */
  unowned: UnassignedLead[]
  /** The kinds of submissions that were quarantined. */
  quarantined: Kind[]
}

/** Files a group. `room` is how many notifications may go out one by one; the others are gathered. */
export async function fileGroup(
  tx: Transaction<Schema>,
  group: readonly Filing[],
  { room, now }: { room: number; now: number },
): Promise<GroupOutcome> {
  const mailboxes = group.map(({ email }) => mailboxKey(email))
  const known = await mailboxesWithLeads(tx, mailboxes)
  const held: { filing: Filing; reason: QuarantineReason }[] = []
  const passed: Passed[] = []
  for (const filing of group) {
    const knownMailbox = known.has(mailboxKey(filing.email))
    if ('quarantineReason' in filing) held.push({ filing, reason: filing.quarantineReason })
    else if (knownMailbox && (await isOneOfMany(tx, filing))) held.push({ filing, reason: 'many' })
    else passed.push({ ...filing, knownMailbox })
  }
  await addToQuarantine(tx, held, now)
  const unowned = await addToLeads(tx, passed, { room, now })
  const texts = group.flatMap(({ textDigest, email, submission }) =>
    textDigest === undefined ? [] : { digest: textDigest, email, seenAt: submission.receivedAt },
  )
  await saveTexts(tx, texts)
  const quarantined = held.map(({ filing }) => filing.submission.kind)
  return { passed: passed.length, unowned, quarantined }
}

/** A submission that becomes part of a lead; whether its mailbox had one before. */
type Passed = Filing & LeadFiling & { knownMailbox: boolean }

/** Returns the leads that are new and need an owner. */
async function addToLeads(
  tx: Transaction<Schema>,
  filings: readonly Passed[],
  { room, now }: { room: number; now: number },
): Promise<UnassignedLead[]> {
  if (filings.length === 0) return []
  const joined = await joinOrOpenLeads(tx, filings, now)
  await assertNotMerged(tx, joined)
  const entries = joined.map(({ id, submission, signals, mergedFrom }) => ({
    leadId: id,
    mergedFrom,
    at: submission.receivedAt,
    kind: 'submission' as const,
    submissionId: submission.id,
    detail: signals.join(','),
    actor: submission.form?.entered?.by ?? null,
  }))
  await addEntries(tx, entries)
  await carryOutEntered(tx, joined, now)
  const given = await addPrograms(
    tx,
    joined.map(({ id, programs }) => ({ leadId: id, programs })),
  )
  await saveAllWords(tx, joined, given)
  const unreleased = filings.filter(({ released }) => !released)
  for (const filing of await withQuarantined(tx, unreleased)) await dismissRepeated(tx, filing, now)
  const students = joined.filter(({ submission }) => submission.kind === 'student')
  const receipts = await receiptsFor(
    tx,
    students.map(one => ({ filing: one, known: one.knownMailbox || !one.opened })),
    now,
  )
  const messages = filings.flatMap(({ submission }, i): NewMessage[] => [
    i < room ? { kind: 'notify', subject: submission.id } : gatheredMail(submission, now),
    ...[receipts.get(submission.id) ?? []].flat(),
  ])
  await addMails(tx, messages, now)
  return students.flatMap(({ id, opened, person: { email, state }, submission: { form } }) =>
    opened && form?.entered?.owner === undefined ? { id, email, state, language: form?.language ?? null } : [],
  )
}

/** `labels`: the ids of those that are new to a lead, by its id. */
async function saveAllWords(
  tx: Transaction<Schema>,
  joined: readonly Joined<Passed>[],
  labels: ReadonlyMap<number, number[]>,
): Promise<void> {
  const all = joined.map(({ id, opened, consent, language, person, submission }) => ({
    leadId: id,
    opened,
    words: indexedWords({ ...person, consent, language }, [submission], labels.get(id)),
  }))
  const { opened = [], others = [] } = Object.groupBy(all, one => (one.opened ? 'opened' : 'others'))
  await saveWords(tx, opened)
  for (const one of others) await addWords(tx, one)
}
