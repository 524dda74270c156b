/**
 * Turns submissions into leads, whether they came through an operation, a form, from staff, or with a list. It files
 * several together, so that they share each statement: after a rush there are thousands, and every statement is a round
 * trip.
 */
import type { Transaction } from 'kysely'
import { mailboxKey } from '../../leads/body/mailbox-key.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { COMPLETED, CORRECTED, IMPORTED } from '../../leads/lead/timeline-details.ts'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import { indexedWords } from '../../leads/words/search-words.ts'
import { carryOutEntered } from '../actions/entered-leads.ts'
import { addLabels } from '../actions/lead-labels.ts'
import { addWords, saveWords } from '../leads/lead-words.ts'
import { mailboxesWithLeads } from '../leads/leads-of-mailbox.ts'
import { writerKey } from '../leads/merged-leads.ts'
import { addEntries } from '../leads/timeline.ts'
import { addMails, type NewMessage } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import type { Filing, LeadFiling } from './filing-decision.ts'
import { leadsOfFirstSteps } from './first-steps.ts'
import { gatheredMail } from './gathered-notifications.ts'
import { assertNotMerged, underKeptAddress } from './join-merged-lead.ts'
import { type Joined, joinOrOpenLeads } from './join-or-open-lead.ts'
import { saveTexts } from './message-texts.ts'
import { correctOwn, correctsOwn } from './own-corrections.ts'
import { assignOwners, type Staffing, type UnassignedLead } from './owner-assignment.ts'
import { addToQuarantine, dismissRepeated, isOneOfMany, withQuarantined } from './quarantine-filing.ts'
import { receiptsFor } from './receipts.ts'

export type FilingContext = {
  now: number
  staffing: Staffing
  /** How many notifications may go out as separate emails; the others are gathered. */
  room: number
  /**
   * Whether no one is notified: the rows of an imported list cause no receipts and no notifications, and an open lead
   * only gets an entry in its timeline. Default: false.
   */
  quiet?: boolean
}

export type Filed = {
  /** The lead that each submission became part of. If the submission opened the lead, both have the same id. */
  leads: { submissionId: number; leadId: number }[]
  /** The kinds of submissions that were quarantined. */
  quarantined: Set<Kind>
}

/**
 * Files submissions: each becomes part of a lead, or is quarantined, and new leads get their owners. If one of the
 * leads is merged meanwhile, throws an error that `filingIn` handles.
 */
export async function fileInGroups(
  tx: Transaction<Schema>,
  filings: readonly Filing[],
  context: FilingContext,
): Promise<Filed> {
  const filed: Filed = { leads: [], quarantined: new Set() }
  const unowned: UnassignedLead[] = []
  for (const group of groupsOf(await underKeptAddress(tx, filings))) {
    const outcome = await fileGroup(tx, group, { ...context, room: context.room - filed.leads.length })
    filed.leads.push(...outcome.leads)
    unowned.push(...outcome.unowned)
    for (const kind of outcome.quarantined) filed.quarantined.add(kind)
  }
  await assignOwners(tx, unowned, context.staffing, context.now)
  return filed
}

/**
 * Divides submissions into groups in which each comes from a different mailbox, so that their outcomes do not depend on
 * each other. To prevent deadlocks, every process locks the leads of people in the order of their keys. So the first
 * submission of every person comes before anyone's second one, which joins a lead that is already locked. A correction
 * is a separate group, since it joins a lead with a different address.
 */
function groupsOf(filings: readonly Filing[]): Filing[][] {
  const groups: Filing[][] = []
  let mailboxes = new Set<string>()
  let isFull = true
  for (const filing of inFilingOrder(filings)) {
    const mailbox = mailboxKey(filedUnder(filing))
    const corrects = filing.submission.form?.corrects === true
    if (isFull || corrects || mailboxes.has(mailbox)) {
      groups.push([])
      mailboxes = new Set()
    }
    mailboxes.add(mailbox)
    groups.at(-1)?.push(filing)
    isFull = corrects
  }
  return groups
}

function inFilingOrder(filings: readonly Filing[]): Filing[] {
  const before = new Map<string, number>()
  const turns = filings
    .toSorted((one, other) => one.submission.id - other.submission.id)
    .map(filing => {
      const key = filedUnder(filing)
      const person = writerKey({ kind: filing.submission.kind, key })
      const turn = before.get(person) ?? 0
      // A quarantined submission does not lock a lead.
      before.set(person, 'person' in filing ? turn + 1 : turn)
      return { filing, turn, key }
    })
  const byKey = (one: { key: string }, other: { key: string }) =>
    one.key === other.key ? 0 : one.key < other.key ? -1 : 1
  return turns.toSorted((one, other) => one.turn - other.turn || byKey(one, other)).map(({ filing }) => filing)
}

/** The key that a submission is filed under: the person's or, if their lead was merged, the key of the kept lead. */
const filedUnder = (filing: Filing): string => ('person' in filing ? filing.person.key : filing.sender)

async function fileGroup(
  tx: Transaction<Schema>,
  group: readonly Filing[],
  context: FilingContext,
): Promise<Pick<Filed, 'leads'> & { unowned: UnassignedLead[]; quarantined: Kind[] }> {
  const mailboxes = group.map(({ sender }) => mailboxKey(sender))
  const known = await mailboxesWithLeads(tx, mailboxes)
  const firsts = await leadsOfFirstSteps(
    tx,
    group.flatMap(({ submission }) => submission.form?.completes ?? []),
  )
  const held: { filing: Filing; reason: QuarantineReason }[] = []
  const passed: Passed[] = []
  for (const filing of group) {
    const knownMailbox = known.has(mailboxKey(filing.sender))
    const first = firsts.get(filing.submission.form?.completes ?? 0)
    if ('quarantineReason' in filing) held.push({ filing, reason: filing.quarantineReason })
    else if (first !== undefined && (!filing.submission.form?.corrects || (await correctsOwn(tx, filing, first.id))))
      passed.push({ ...completingOf(filing, first), knownMailbox })
    else if (knownMailbox && (await isOneOfMany(tx, filing))) held.push({ filing, reason: 'many' })
    else passed.push({ ...filing, knownMailbox })
  }
  await addToQuarantine(tx, held, context.now)
  const joined = await addToLeads(tx, passed, context)
  const texts = group.flatMap(({ textDigest, sender, submission }) =>
    textDigest === undefined ? [] : { digest: textDigest, sender, seenAt: submission.receivedAt },
  )
  await saveTexts(tx, texts)
  return {
    leads: joined.map(({ id, submission }) => ({ submissionId: submission.id, leadId: id })),
    unowned: unownedAmong(joined),
    quarantined: held.map(({ filing }) => filing.submission.kind),
  }
}

/** Makes the submission join the lead that has the first step, even if that lead's contact data has changed. */
const completingOf = (
  filing: Filing & LeadFiling,
  { id, key, email, mergedFrom }: NonNullable<ReturnType<Awaited<ReturnType<typeof leadsOfFirstSteps>>['get']>>,
): Filing & LeadFiling => ({
  ...filing,
  person: { ...filing.person, key, email },
  completes: id,
  mergedFrom: mergedFrom ?? undefined,
})

/** A submission that becomes part of a lead, and whether its mailbox had a lead before. */
type Passed = Filing & LeadFiling & { knownMailbox: boolean }

async function addToLeads(
  tx: Transaction<Schema>,
  filings: readonly Passed[],
  { room, now, quiet = false }: FilingContext,
): Promise<Joined<Passed>[]> {
  if (filings.length === 0) return []
  const joined = await joinOrOpenLeads(tx, filings, { now, quiet })
  await assertNotMerged(tx, joined)
  // Labels come before the entries, since a destination may get only leads with a certain label.
  const given = await addLabels(
    tx,
    joined
      .filter(({ opened }) => opened || !quiet)
      .map(({ id, programs, submission: { form } }) => ({
        leadId: id,
        labels: [
          ...programs.map(name => ({ kind: 'program' as const, name })),
          ...(form?.entered?.tags ?? []).map(name => ({ kind: 'tag' as const, name })),
        ],
      })),
  )
  const entries = joined.map(one => ({
    leadId: one.id,
    mergedFrom: one.mergedFrom,
    at: one.submission.receivedAt,
    kind: 'submission' as const,
    submissionId: one.submission.id,
    detail: quiet ? IMPORTED : [...completionOf(one), ...one.signals].join(','),
    actor: one.submission.form?.entered?.by ?? null,
  }))
  await addEntries(tx, entries)
  await carryOutEntered(tx, joined, now)
  for (const one of joined)
    if (!isFurther(one) && one.submission.form?.corrects) await correctOwn(tx, one, { leadId: one.id, now })
  await saveAllWords(tx, joined, given)
  if (!quiet) {
    const unreleased = filings.filter(({ released }) => !released)
    for (const filing of await withQuarantined(tx, unreleased)) await dismissRepeated(tx, filing, now)
    await addMessages(tx, joined.filter(isFurther), { room, now })
  }
  return joined
}

/** `labels`: the ids of the labels that are new to a lead, by the lead's id. */
async function saveAllWords(
  tx: Transaction<Schema>,
  joined: readonly Joined<Passed>[],
  labels: ReadonlyMap<number, number[]>,
): Promise<void> {
  const all = joined.map(({ id, opened, consent, language, program, campus, person, submission }) => ({
    leadId: id,
    opened,
    words: indexedWords({ ...person, consent, language, program, campus }, [submission], labels.get(id)),
  }))
  const { opened = [], others = [] } = Object.groupBy(all, one => (one.opened ? 'opened' : 'others'))
  await saveWords(tx, opened)
  for (const one of others) await addWords(tx, one)
}

/** The notification about each submission, and the email that the student gets immediately. */
async function addMessages(
  tx: Transaction<Schema>,
  joined: readonly Joined<Passed>[],
  { room, now }: { room: number; now: number },
): Promise<void> {
  const receipts = await receiptsFor(
    tx,
    joined.filter(isStudent).map(one => ({ filing: one, known: one.knownMailbox || !one.opened })),
    now,
  )
  const messages = joined.flatMap(({ submission }, i): NewMessage[] => [
    i < room ? { kind: 'notify', subject: submission.id } : gatheredMail(submission, now),
    ...[receipts.get(submission.id) ?? []].flat(),
  ])
  await addMails(tx, messages, now)
}

/**
 * Whether an inquiry gets its own messages. An inquiry that completes an earlier one is included in that one's
 * messages, unless they have already gone out.
 */
const isFurther = ({ id, completes }: Joined<Passed>): boolean => completes !== id

const completionOf = (one: Joined<Passed>): string[] => {
  if (isFurther(one)) return []
  return one.submission.form?.corrects ? [COMPLETED, CORRECTED] : [COMPLETED]
}

const isStudent = ({ submission }: Joined<Passed>): boolean => submission.kind === 'student'

const unownedAmong = (joined: readonly Joined<Passed>[]): UnassignedLead[] =>
  joined
    .filter(one => one.opened && isStudent(one) && one.submission.form?.entered?.owner === undefined)
    .map(({ id, person: { key, state }, programs, submission: { form } }) => ({
      id,
      key,
      state,
      program: programs[0] ?? null,
      campus: form?.campus ?? null,
      language: form?.language ?? null,
    }))
