/** Erasing a person leaves nothing of them in any table or file. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { defaultSettings } from '../../src/config/settings.ts'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { addressHash } from '../../src/leads/body/email.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { startApp } from '../support/app.ts'
import { beginFile } from '../support/attachments.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { withClients } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { aForm } from '../support/form-details.ts'
import { anArrival, asked } from '../support/store.ts'

const canary = {
  firstName: 'Canarybird',
  lastName: 'Canaryson',
  email: 'Canary.Mail@canary.example',
  phone: '512-555-0177',
  message: 'canary words that nobody else writes',
}
const canaryForm = {
  page: 'https://canary.example/welding',
  referrer: 'https://canary-search.example/',
  campaign: { source: 'canary-ads', campaign: 'canary-2027' },
}
const TRACES = /canary|512-?555-?0177/i

/** A service that knows the person in every way there is, and one other person. */
async function aServiceThatKnows(t: TestContext, engine: Engine) {
  const service = await startApp(t, { engine })
  const { store } = service.app
  const post = async (answer: Promise<{ status: number }>, status = 200) => equal((await answer).status, status)
  const student = { ...canary, city: 'Canarytown', employer: 'Canary Diner' }
  const site = { ...canary, company: 'Canary Clinic', address: 'Canary Road 1' }
  await post(service.postStudent(aStudent({ ...student, idempotencyKey: 'canary-key-1' })))
  await post(service.postStudent(aStudent({ email: 'other@mail.example' })))
  await service.settle()
  await store.changeStage(1, { stage: 'closed', closedReason: 'not interested', actor: 'maria', now: 1 })
  service.clock.advance(2 * DAY)
  await post(service.postStudent(aStudent({ ...student, email: canary.email.toUpperCase() })))
  const now = service.clock.now()
  const { idempotencyKey: _, ...body } = aStudent(student)
  for (const trap of [{}, { trap: 'canary.example' }]) {
    const form = aForm({ ...canaryForm, ...trap, consent: { given: true, at: now } })
    await store.accept(anArrival({ email: canary.email, receivedAt: now, form, body: JSON.stringify(body) }))
  }
  await post(service.postSite(aSite(site, now)))
  for (const website of ['https://canary.example', 'https://canary.example/2']) {
    await post(service.postSite(aSite({ ...site, website }, now)), 400)
  }
  await service.settle()
  const held = await store.listQuarantine({ state: 'held', limit: 9 })
  await store.dismissQuarantined(held[0]?.submission.id ?? 0, { now })
  const leads = await store.listLeads({ limit: 9 })
  const open = leads.find(({ kind, id }) => kind === 'student' && id > 2)?.id ?? 0
  await store.addNote(open, { text: 'Mr Canaryson likes to weld', actor: 'maria', now })
  await store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
  const event = { kind: 'reply', detail: 'Yours, Canarybird', tell: true } as const
  const file = await beginFile(store, open, { name: 'canary.txt', bytes: Buffer.from('canary words'), now })
  await beginFile(store, open, { name: 'not sent.txt', bytes: Buffer.from('canary words'), now })
  const effect = { leadId: open, event: { ...event, attachments: [{ stored: file }] }, suppression: null }
  await store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: 1, effect }, now)
  const mail = { sender: canary.email, subject: 'Canary', text: 'Canaryson', attachments: [] }
  const stray = { mail, morning: { day: 20270101, at: now + DAY } }
  await store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: 2, effect: null, stray }, now)
  // A receiver may respond with what it was sent.
  for (const statement of [
    `insert into destinations (ref, kind, name, host, sealed, filter, events, fields, created_at, off_at, off_reason)
      values ('a', 'webhook', 'Records', 'x.example', '',
        '{"kind":null,"stages":[],"states":[],"programs":[],"tags":[]}', '[]', '[]', 1, 1, 'switched off')`,
    `insert into deliveries (destination_id, lead_id, event_id, type, at, facts, settled_at)
      values (1, ${open}, 'a', 'lead.created', 1, '{}', 1)`,
    `insert into delivery_attempts (delivery_id, at, duration, status, response, note)
      values (1, 1, 1, 200, 'Canaryson', '')`,
  ])
    await sql(service.database, statement)
  const operator = await store.addOperator({ email: 'ana@school.example', name: 'Ana Ruiz', role: 'manager', now })
  ok(operator)
  const view = { shared: false, now }
  await store.saveView(operator, { name: 'Everyone', filter: '?stage=any', ...view })
  for (const q of ['Canaryson', 'canary.mail%40canary.example', '512-555-0177'])
    await store.saveView(operator, { name: `View of ${q}`, filter: `?q=${q}`, ...view })
  const newLead = { operatorId: operator, kind: 'student', leadId: null } as const
  await store.saveDraft(newLead, { fields: { lastName: 'Canaryson', email: canary.email }, now })
  await store.saveDraft({ ...newLead, kind: 'note', leadId: open }, { fields: { note: 'Canaryson called' }, now })
  const note = 'Kept from erasure: Canaryson asked for a refund'
  await store.holdLead(open, { reason: note, until: null, actor: 'maria', note, now })
  await store.requestErasure(canary.email, {
    operator: { id: operator, name: 'Ana Ruiz' },
    reason: 'asked',
    now,
    expiresAt: now + DAY,
    audit: [],
  })
  // A list that someone has uploaded, and not imported yet.
  const list = `Name,Contact,Phone\nCanary Bird,<${canary.email.toUpperCase()}>,512 555 0100\nBo Li,bo@mail.example,1`
  await storeList(store, { bytes: Buffer.from(list), fileName: 'a.csv', by: 'Jo', now })
  // A list without headers, so that its first row is taken for them, and its name is a person's.
  const unnamed = 'Canary,Canaryson,512-555-0177\nBo,Li,1'
  const bytes = Buffer.from(unnamed)
  const second = await storeList(store, { bytes, fileName: 'Canaryson.csv', by: 'Jo', now })
  const plan = { kind: 'student', columns: [], source: 'Friends of Canaryson', language: 'en' }
  await sql(
    service.database,
    `update imports set plan = '${JSON.stringify({ ...plan, mayWrite: false })}' where id = ${second}`,
  )
  const promised = {
    dueAt: now + DAY,
    words: 'Canaryson asks for the price',
    reminders: [now + DAY],
    moment: 'tomorrow',
  }
  await store.planCallback(open, { ...promised, actor: 'maria', now })
  const tag = { kind: 'tag', name: 'Canaryson family', actor: 'maria', now } as const
  await store.addLabel(open, tag)
  const manager = await withClients(service).client('manager')
  const [label] = await store.listLabels('tag')
  await manager.post(`/tags/${label?.id}`, { name: 'Canaryson clan' })
  // What a mail server said, which a failed message keeps.
  await sql(
    service.database,
    `update tasks set note = '550 <canary.mail@canary.example> no such user'
      where kind = 'notify' and subject = ${open}`,
  )
  while (await store.countLeads({ school: defaultSettings.school, limit: 50 }));
  const hash = addressHash(await store.getOrCreateSecret('addresses', 'kept before'), canary.email)
  return { ...service, store, open, hash }
}

/**
 * Every value of every table there is, each row as one text; but for the windows of limits, which hold
 * an address for an hour and end by themselves.
 */
async function everything(database: DatabaseAddress): Promise<string[]> {
  const tables = await tableNames(database)
  const rows = await Promise.all(
    tables.map(async name =>
      (await sql(database, `select * from ${name}`)).map(row => `${name} ${JSON.stringify(row, bytesAsText)}`),
    ),
  )
  return rows.flat()
}

const bytesAsText = (key: string, value: unknown): unknown =>
  key === 'bytes' ? Buffer.from(value as Uint8Array).toString('latin1') : value

async function tableNames(database: DatabaseAddress): Promise<string[]> {
  const tables =
    database.engine === 'sqlite'
      ? await sql(database, `select name from sqlite_schema where type = 'table'`)
      : await sql(database, `select table_name as name from information_schema.tables where table_schema = 'public'`)
  return tables.map(({ name }) => String(name))
}

/** The tables in which there is nothing about a person, but for ids, moments and keyed hashes. */
const HOLDS_NO_ONE = new Set([
  // Which labels a lead has; it goes with the lead.
  'lead_labels',
  // What operators get, and which leads they handed over: numbers of tasks and leads.
  'notice_choices',
  'push_subscriptions',
  'notices',
  'hand_overs',
  'hand_over_leads',
  // What is late, in our words.
  'alarms',
  'edited_settings',
  'school_files',
  'absences',
  'accounts',
  'cadences',
  'turns',
  'secrets',
  'progress',
  'suppressions',
  'mailboxes',
  'limits',
  'schema_versions',
  'write_probe',
  'indexed_keys',
  'operators',
  'sessions',
  'api_tokens',
  'operator_links',
  'recovery_codes',
  'passkeys',
  'idempotency_keys',
  'erasures',
  'planned_erasures',
  'changed_leads',
  // Only ids; what receivers have responded is in `delivery_attempts`.
  'destinations',
  'deliveries',
  'sources',
  'source_costs',
  // Its filter has no words that someone searches for.
  'nightly_exports',
  'delivery_counts',
  'form_counts',
  // Its entries name leads, tags and lists by number.
  'audit_log',
])

/** Of SQLite itself, and of its full-text search. */
const IS_INDEX = /^(sqlite_|lead_search_)/

describe('erasing while another program reads the file of SQLite', () => {
  test('does not wait for it, says so, and overwrites the deleted data when asked again', async t => {
    const service = await aServiceThatKnows(t, 'sqlite')
    const { database } = service
    if (database.engine !== 'sqlite') throw new Error('this test is about SQLite')
    const reader = new DatabaseSync(database.file, { readOnly: true })
    reader.exec('begin')
    reader.prepare('select count(*) from submissions').get()
    const erasing = erase(service)
    const accepted = await service.postStudent(aStudent({ email: 'third@mail.example' }))
    equal(accepted.status, 200)
    equal((await erasing).overwritten, false)
    reader.close()
    equal((await erase(service)).overwritten, true)
    equal(TRACES.test(readFileSync(`${database.file}-wal`, 'latin1')), false)
  })
})

const erase = ({ store, hash, clock }: Awaited<ReturnType<typeof aServiceThatKnows>>) =>
  store.erasePerson(canary.email, { ...asked, addressHash: hash, now: clock.now() })

onEachEngine(engine => {
  describe('erasing a person', () => {
    test('leaves nothing of them in any table, and everyone else as they were', async t => {
      const service = await aServiceThatKnows(t, engine)
      const before = await everything(service.database)
      const tables = new Set(before.filter(row => TRACES.test(row)).map(row => row.split(' ')[0]))
      deepEqual([...tables].sort(), [
        'attachment_parts',
        'attachments',
        'callbacks',
        'delivery_attempts',
        'drafts',
        'erasure_requests',
        'import_rows',
        'imports',
        'insight_counts',
        'labels',
        'lead_facts',
        'lead_holds',
        ...(engine === 'sqlite' ? ['lead_search'] : []),
        'lead_words',
        'leads',
        'message_texts',
        'quarantine',
        'saved_views',
        'stray_mail',
        'submissions',
        'tasks',
        'timeline',
      ])
      const names = [...(await tableNames(service.database))].filter(name => !IS_INDEX.test(name))
      deepEqual(
        names.filter(name => !tables.has(name) && !HOLDS_NO_ONE.has(name)),
        [],
        'A new table: let aServiceThatKnows fill it with the words of the person, or say here that it has none',
      )
      const erased = await erase(service)
      deepEqual([erased?.leads, erased?.submissions], [3, 7])
      deepEqual(
        (await everything(service.database)).filter(row => TRACES.test(row)),
        [],
      )
      const other = await service.store.readLead(2)
      deepEqual([other?.lead.email, other?.submissions.length], ['other@mail.example', 1])
      const keys = await sql(service.database, 'select submission_id from idempotency_keys')
      ok(keys.every(row => Number(row['submission_id']) === 2))
    })

    test('tells which messages were about them', async t => {
      const service = await aServiceThatKnows(t, engine)
      await service.settle()
      const about = service.sent.filter(({ to, text, html }) => TRACES.test(to.address) || TRACES.test(text + html))
      const erased = await erase(service)
      const named = new Set(erased?.messages.map(({ kind, subject }) => `${kind}.${subject}`))
      const sent = about.map(({ id }) => id.split('.').slice(0, 2).join('.'))
      ok(sent.length >= 6)
      deepEqual(
        // A forwarded mail is forgotten once it is sent.
        sent.filter(task => !/^(digest|forward)/.test(task) && !named.has(task)),
        [],
      )
      ok(!named.has('notify.2'))
    })

    test('ends what was still to come', async t => {
      const service = await aServiceThatKnows(t, engine)
      const sent = service.sent.length
      await erase(service)
      const due = await sql(
        service.database,
        `select kind, subject from tasks where state in ('due', 'dead') and kind not in ('digest', 'erasure')`,
      )
      deepEqual(new Set(due.map(task => `${task['kind']} ${task['subject']}`)), new Set(['step 2']))
      service.clock.advance(20 * DAY)
      await service.settle()
      for (const { to, text, html, subject } of service.sent.slice(sent)) {
        ok(!TRACES.test(to.address + subject + text + html))
      }
    })

    test('is not undone by a message that was on its way', async t => {
      const service = await aServiceThatKnows(t, engine)
      const claim = { token: 'A', limit: 50, now: service.clock.now() }
      const news = await service.store.claimTasks({ lane: 'mail', ...claim })
      const [reply] = news.filter(({ kind }) => kind === 'news')
      service.clock.advance(20 * DAY)
      const later = { ...claim, now: service.clock.now() }
      const steps = await service.store.claimTasks({ lane: 'follow-up', ...later })
      const step = steps.find(({ subject }) => subject === service.open)
      ok(step && reply)
      await erase(service)
      const now = service.clock.now()
      deepEqual(await service.store.recordSent([{ task: reply, to: 'Maria', now }]), [false])
      const end = { state: 'done', note: null, name: 'day-1', next: undefined, now } as const
      // No other worker has concluded it.
      equal(await service.store.concludeStep(step, end), true)
      deepEqual(
        (await everything(service.database)).filter(row => TRACES.test(row)),
        [],
      )
    })

    test('is in the register with who, why and how much, and with nothing that leads back to the person', async t => {
      const service = await aServiceThatKnows(t, engine)
      await erase(service)
      await service.store.erasePerson('no.one@mail.example', {
        askedBy: 'Ana Ruiz',
        reason: 'asked',
        addressHash: 'hash',
        now: service.clock.now(),
      })
      const { store, clock } = service
      deepEqual(await store.listErasures({ limit: 9 }), [
        {
          id: 1,
          at: clock.now(),
          asked_by: 'Ana Ruiz',
          confirmed_by: null,
          reason: 'asked',
          people: 1,
          leads: 3,
          submissions: 7,
          messages: 7,
        },
      ])
    })

    test('records itself also for someone who is only in a list, and nothing where nothing was stored', async t => {
      const service = await aServiceThatKnows(t, engine)
      const { store, clock } = service
      const now = clock.now()
      const options = { askedBy: 'Ana Ruiz', reason: 'asked', addressHash: undefined, now } as const
      const audit = [{ at: now, operatorId: 1, actor: 'Ana Ruiz', action: 'erased a row' }]
      for (let times = 0; times < 2; times++) await store.erasePerson('bo@mail.example', { ...options, audit })
      const entries = await store.listAudit({ limit: 99 })
      equal(entries.filter(({ action }) => action === 'erased a row').length, 1)
    })

    test('deletes the saved views that search for them, and leaves the others', async t => {
      const service = await aServiceThatKnows(t, engine)
      await erase(service)
      const nothingElse = { filter: {}, page: { limit: 0 }, counted: [], most: 0, today: '2026-11-21' }
      const { views } = await service.store.readInboxPage({ operatorId: 1, ...nothingElse })
      deepEqual(
        views.map(({ name }) => name),
        ['Everyone'],
      )
    })

    test('because they are no longer needed does not stop emails to an address that writes again', async t => {
      const service = await aServiceThatKnows(t, engine)
      await service.store.erasePerson(canary.email, {
        askedBy: 'Ana Ruiz',
        reason: 'not needed',
        addressHash: undefined,
        now: service.clock.now(),
      })
      equal(await service.store.readSuppression([service.hash]), undefined)
    })

    test('can be asked for twice', async t => {
      const service = await aServiceThatKnows(t, engine)
      ok((await erase(service)).leads > 0)
      deepEqual(await erase(service), { leads: 0, submissions: 0, messages: [], overwritten: true })
    })

    test('lets them write again, but sends them no more emails', async t => {
      const service = await aServiceThatKnows(t, engine)
      await service.settle()
      const sent = service.sent.length
      await erase(service)
      service.clock.advance(HOUR)
      // The same key, too: it was erased with the rest.
      const again = aStudent({ ...canary, message: 'Once more', idempotencyKey: 'canary-key-1' })
      const answer = await service.postStudent(again)
      deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [200, null])
      await service.settle()
      const [lead] = await service.store.listLeads({ limit: 1 })
      deepEqual([lead?.email, lead?.stage], [canary.email, 'new'])
      equal((await service.store.readSuppression([service.hash]))?.reason, 'unsubscribed')
      // The other person's reminders go on.
      const about = service.sent.slice(sent).filter(({ subject }) => !/Ben Okafor/.test(subject))
      deepEqual(
        about.map(({ to }) => to.address).sort(),
        ['admissions@localhost', 'ana@school.example'],
        'and the one who asked learns that they were erased',
      )
      equal((await service.store.readFollowUp(lead?.id ?? 0))?.steps.length, 3)
    })
  })
})

test('on SQLite nothing of an erased person is left in the file or in its log', async t => {
  const service = await aServiceThatKnows(t, 'sqlite')
  ok(service.database.engine === 'sqlite')
  const { file } = service.database
  const bytesOf = () =>
    ['', '-wal', '-journal']
      .map(end => `${file}${end}`)
      .filter(path => existsSync(path))
      .map(path => readFileSync(path, 'latin1'))
      .join()
  ok(/Canarybird/.test(bytesOf()))
  await erase(service)
  const bytes = bytesOf()
  deepEqual(bytes.match(/.{0,40}(canary|512-?555-?0177).{0,40}/gi), null)
  ok(bytes.includes('other@mail.example'))
})
