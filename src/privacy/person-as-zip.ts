/**
 * Everything that is stored about a person, as files in one ZIP: a page to read, JSON for programs, and their
 * attachments. It is read and written a portion at a time, however much one person has sent.
 */
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import type { Settings } from '../config/settings.ts'
import { whySuppressed } from '../follow-up/stop-conditions.ts'
import type { Attachment } from '../leads/attachments/attachment.ts'
import { emailKey } from '../leads/body/email.ts'
import { suppressionHashes } from '../leads/body/mailbox-key.ts'
import { isAddress } from '../leads/body/person-key.ts'
import { capital } from '../leads/body/tidy-text.ts'
import type { TimelineEntry } from '../leads/lead/timeline-entries.ts'
import type { Content } from '../mail/messages.ts'
import { exactMoment } from '../platform/time.ts'
import { attachmentContent } from '../store/attachments/attachment-content.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { createPersonFacts, type Fact } from './person-facts.ts'
import { type About, leftOut, personPage, type Section, type Stored } from './person-page.ts'

export type ExportServices = {
  store: Store
  settings: Settings
  addressSecret: string
  /** The message of a task, or a sentence that says why there is none. */
  messageOf(task: Task): Promise<{ content: Content } | { unknown: string }>
}

const AT_ONCE = 100

/** The ZIP with everything about the person with that address or number (E.164). */
export async function* exportPerson(
  deps: ExportServices,
  person: string,
  now: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const facts = createPersonFacts(deps.settings)
  const about = { school: deps.settings.school.name, person, at: exactMoment(now), asOf: facts.moment(now) }
  const written: Uint8Array<ArrayBuffer>[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    written.push(chunk as Uint8Array<ArrayBuffer>)
  })
  const text = new TextEncoder()
  const files = {
    'person.html': personPage(about, storedAbout(deps, facts, person)),
    'person.json': personJson(about, storedAbout(deps, facts, person)),
  }
  for (const [name, parts] of Object.entries(files)) {
    const file = new ZipDeflate(name, { level: 6 })
    zip.add(file)
    for await (const part of parts) {
      file.push(text.encode(part))
      yield* written.splice(0)
    }
    file.push(new Uint8Array(), true)
  }
  for await (const attachment of attachmentsOf(deps, person)) {
    const file = new ZipPassThrough(`attachments/${attachment.id} ${attachment.name}`)
    zip.add(file)
    for await (const bytes of attachmentContent(deps.store, attachment)) {
      file.push(bytes)
      yield* written.splice(0)
    }
    file.push(new Uint8Array(), true)
  }
  zip.end()
  yield* written
}

async function* attachmentsOf({ store }: ExportServices, person: string): AsyncGenerator<Attachment> {
  const { leads } = await store.readPersonIds(person)
  for (const leadId of leads)
    for await (const { attachments = [] } of entriesOf(store, leadId))
      yield* attachments.filter(({ state }) => state === 'stored')
}

async function* entriesOf(store: Store, leadId: number): AsyncGenerator<TimelineEntry> {
  for (let after = 0; ; ) {
    const entries = await store.readPersonEntries(leadId, { after, limit: AT_ONCE })
    yield* entries
    after = entries.at(-1)?.id ?? 0
    if (entries.length < AT_ONCE) break
  }
}

async function* personJson(about: About, stored: AsyncIterable<Stored>): AsyncGenerator<string> {
  yield `{\n"exportedAt": ${JSON.stringify(about.at)},\n"school": ${JSON.stringify(about.school)},\n"${isAddress(about.person) ? 'email' : 'phone'}": ${JSON.stringify(about.person)}`
  let current: Section | undefined
  for await (const { section, item } of stored) {
    yield section === current ? ',\n' : `${current === undefined ? '' : '\n]'},\n"${section}": [\n`
    current = section
    yield JSON.stringify(readable(item))
  }
  yield `${current === undefined ? '' : '\n]'},\n"leftOut": ${JSON.stringify(leftOut)}\n}\n`
}

/** Everything that is stored, section by section. */
async function* storedAbout(
  deps: ExportServices,
  facts: ReturnType<typeof createPersonFacts>,
  person: string,
): AsyncGenerator<Stored> {
  const { store } = deps
  const { moment } = facts
  const ids = await store.readPersonIds(person)
  for (const id of ids.leads) {
    const lead = await store.findExactLead(id)
    const labels = (await store.readLabels([id])).get(id) ?? []
    const hold = (await store.readHold(id)) ?? null
    const item = { ...lead, labels, hold }
    if (lead !== undefined) yield { section: 'leads', item, facts: facts.lead(lead, labels, hold) }
  }
  for (const id of ids.leads)
    for (const item of await store.listCallbacks(id)) yield { section: 'callbacks', item, facts: facts.callback(item) }
  for (const some of portions(ids.submissions))
    for (const item of await store.readPersonSubmissions(some))
      yield { section: 'inquiries', item, facts: facts.inquiry(item) }
  for (const leadId of ids.leads) {
    const lead = await store.findExactLead(leadId)
    const { cadence = [] } = (await store.readFollowUp(leadId)) ?? {}
    for await (const entry of entriesOf(store, leadId))
      yield { section: 'timeline', item: { lead: leadId, ...entry }, facts: facts.entry(entry, cadence, lead) }
  }
  for await (const { at, ...mail } of emailsTo(deps, ids, person))
    yield {
      section: 'emails',
      item: { at, ...mail },
      facts: [['Sent', at === null ? null : moment(at)], ...mailFacts(mail)],
    }
  for (const { operatorId: _, ...item } of await store.readPersonDrafts(person))
    yield { section: 'drafts', item, facts: facts.draft(item) }
  yield* otherwiseStored(deps, moment, person)
  for (const leadId of ids.leads)
    for (const { at, action } of await store.listAudit({ leadId, limit: 1000 }))
      yield {
        section: 'looks',
        item: { lead: leadId, at, action },
        facts: [
          ['When', moment(at)],
          ['What', capital(`${action} lead ${leadId}`)],
        ],
      }
}

/** What is stored about a person besides leads and inquiries. */
async function* otherwiseStored(
  { store, addressSecret }: ExportServices,
  moment: (at: number) => string,
  person: string,
): AsyncGenerator<Stored> {
  const other = (item: { what: string } & Record<string, unknown>, more: Fact[]): Stored => ({
    section: 'other',
    item,
    facts: [['What', item.what], ...more],
  })
  for (const { list, row, cells } of await store.readPersonRows(person))
    yield other({ what: 'A row of an uploaded list', list, row, cells }, [
      ['Row', `${row} of list ${list}`],
      ['Cells', cells.filter(cell => cell !== '').join(' · ')],
    ])
  for (const { at, ...mail } of await store.readPersonStrays(person))
    yield other({ what: 'Email that waits to be forwarded to the team', ...mail, at }, [
      ['Received', moment(at)],
      ...factsOf(mail),
    ])
  const suppressed = await store.readSuppression(suppressionHashes(addressSecret, isAddress(person) ? person : null))
  if (suppressed)
    yield other({ what: 'The address gets no follow-up emails', ...suppressed }, [
      ['Why', capital(whySuppressed[suppressed.reason])],
      ['Since', moment(suppressed.since)],
    ])
  for (const { person: of, askedBy: by, created_at: at } of await store.listErasureRequests())
    if (emailKey(of ?? '') === emailKey(person))
      yield other({ what: 'Someone has asked to erase the person', by, at, person: of }, [
        ['By', by],
        ['When', moment(at)],
      ])
}

const mailFacts = (mail: Email | UnknownEmail): Fact[] =>
  'unknown' in mail
    ? [
        ['Email', kindNames[mail.kind] ?? capital(mail.kind)],
        ['Not shown', capital(mail.unknown)],
      ]
    : factsOf(mail)

const kindNames: Record<string, string> = {
  receipt: 'Receipt',
  account: 'Account notice',
  message: 'Written by someone at the school',
}

const factsOf = (texts: Record<string, string>): Fact[] =>
  Object.entries(texts).map(([name, text]): Fact => [capital(name), text])

type SentMail = { at: number | null } & (Email | UnknownEmail)
type UnknownEmail = { kind: string; unknown: string }
type Email = { to: string; subject: string; text: string }

/** The emails that went to the person, made again from what is stored today. */
async function* emailsTo(
  { store, messageOf }: ExportServices,
  ids: { leads: number[]; submissions: number[]; entries: number[] },
  person: string,
): AsyncGenerator<SentMail> {
  const asked = [
    ...portions(ids.leads).map(leads => ({ leads })),
    ...portions(ids.submissions).map(submissions => ({ submissions })),
    ...portions(ids.entries).map(entries => ({ entries })),
  ]
  for (const some of asked) {
    for (const task of await store.readPersonMails(some)) {
      const message = await messageOf(task)
      const at = task.finished_at
      if ('unknown' in message) {
        if (task.kind !== 'step') yield { at, kind: task.kind, unknown: message.unknown }
        continue
      }
      const { to, subject, text } = message.content
      if (task.kind !== 'step' || emailKey(to.address) === emailKey(person)) yield { at, to: to.address, subject, text }
    }
  }
}

/** The item without empty fields, and with moments that people can read. */
const readable = (item: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([key, value]) => [key, readableValue(key, value)]),
  )

function readableValue(key: string, value: unknown): unknown {
  if (typeof value === 'number' && /(^at|At|^since|^until|Until)$/.test(key)) return exactMoment(value)
  return typeof value === 'object' && !Array.isArray(value) ? readable(value as object) : value
}

const portions = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, index) =>
    ids.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  )
