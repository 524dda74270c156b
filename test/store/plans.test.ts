/**
 * What queries read. SQLite plans without statistics, which the service never gathers, and so plans
 * alike whatever there is: a plan that reads all of a table is wrong from the first row on.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Kysely } from 'kysely'
import { defaultSettings } from '../../src/config/settings.ts'
import { parseWords } from '../../src/leads/words/search-words.ts'
import { DAY } from '../../src/platform/time.ts'
import { changeStage } from '../../src/store/actions/change-stage.ts'
import { pauseLead, resumeLead } from '../../src/store/actions/pause-and-resume.ts'
import { acknowledgeMail, retryMail } from '../../src/store/actions/repair-mail.ts'
import { findDelivery, recordAttempt } from '../../src/store/destinations/deliveries.ts'
import { holdDestination, releaseDestination } from '../../src/store/destinations/hold-back.ts'
import { addDeliveries, newDelivery } from '../../src/store/events/record-events.ts'
import { accountsAmong } from '../../src/store/filing/accounts.ts'
import { fileSubmissions } from '../../src/store/filing/file-submissions.ts'
import { deleteSubmissions, expireQuarantine, trimQuarantine } from '../../src/store/filing/quarantine-expiry.ts'
import { listQuarantine } from '../../src/store/filing/quarantined-submissions.ts'
import { receiptsFor } from '../../src/store/filing/receipts.ts'
import { getOrCreateCadence, listFollowedCadences } from '../../src/store/follow-up/cadence-versions.ts'
import { beginStep, closeUnanswered, concludeStep, type StepContext } from '../../src/store/follow-up/claimed-steps.ts'
import { readFollowUp } from '../../src/store/follow-up/steps.ts'
import { readUnattended } from '../../src/store/follow-up/unattended-leads.ts'
import { rowsOfPeople } from '../../src/store/imports/rows-of-people.ts'
import { deleteLeads } from '../../src/store/leads/delete-leads.ts'
import { readLatestInquiries } from '../../src/store/leads/latest-inquiries.ts'
import { recentOrigins } from '../../src/store/leads/origins.ts'
import { readBoard, readBoardCards } from '../../src/store/lists/board.ts'
import { listDueLeads } from '../../src/store/lists/due-leads.ts'
import { listInbox } from '../../src/store/lists/inbox.ts'
import { findLeadsAt, findLeadsOf, searchLeads } from '../../src/store/lookup/find-leads.ts'
import { readLatest } from '../../src/store/lookup/lead-of-submission.ts'
import { listLeads } from '../../src/store/lookup/list-leads.ts'
import { countBacklog } from '../../src/store/mail/backlog.ts'
import { recordInbound, setMailboxPosition } from '../../src/store/mail/mailboxes.ts'
import { writeMessage } from '../../src/store/mail/messages.ts'
import { recordSent } from '../../src/store/mail/record-sent.ts'
import { listScheduledMessages, withdrawMessage } from '../../src/store/mail/scheduled-messages.ts'
import { findMessage } from '../../src/store/mail/sent-messages.ts'
import { stopFollowUpEmails } from '../../src/store/mail/stop-follow-up-emails.ts'
import { listAudit } from '../../src/store/operators/audit-log.ts'
import { listDelivery } from '../../src/store/outbox/delivery-list.ts'
import { lastSentAt, listMail } from '../../src/store/outbox/outbox.ts'
import { openSqlite } from '../../src/store/sqlite/database.ts'
import type { Schema } from '../../src/store/tables/schema.ts'
import { claimTasks, listDueLanes, type Task } from '../../src/store/tasks/tasks.ts'
import { readHandOverPortion } from '../../src/store/team/hand-over-portions.ts'
import { testClock } from '../support/clock.ts'
import { aFiling, anArrival, noStaff, someDigest, startStore } from '../support/store.ts'

const now = testClock().now()
const lastCall = { morning: { day: 20261124, at: now + DAY }, closingAt: now + 2 * DAY }
const limits = { days: 30, capacity: 1000 }

const aDestination = {
  ref: 'one',
  kind: 'webhook',
  name: 'One',
  host: 'one.example',
  sealed: '',
  filter: '{}',
  events: '[]',
  fields: '[]',
  created_at: now,
}

type Query = { text: string; values: never[] }

/** The steps of each query that `work` runs, planned with the values it has there. */
async function plansOf(t: TestContext, work: (db: Kysely<Schema>) => Promise<unknown>) {
  const { store, database } = await startStore(t)
  ok(database.engine === 'sqlite')
  await store.accept(anArrival())
  await store.close()
  const { raw, db } = await openSqlite(database.file, now)
  const queries: Query[] = []
  const prepare = raw.prepare.bind(raw)
  const recording = t.mock.method(raw, 'prepare', (text: string) => {
    const statement = prepare(text)
    for (const name of ['all', 'run'] as const) {
      const run = statement[name].bind(statement) as (...values: never[]) => never
      t.mock.method(statement, name, (...values: never[]) => {
        queries.push({ text, values })
        return run(...values)
      })
    }
    return statement
  })
  await work(db)
  recording.mock.restore()
  const plans = queries
    .filter(({ text }) => /^(select|update|delete|insert|with)/.test(text))
    .map(({ text, values }) => {
      const steps = raw.prepare(`explain query plan ${text}`).all(...values)
      return { text, steps: steps.map(step => String(step['detail'])) }
    })
  raw.close()
  return plans
}

/** The only one of these plans whose query matches a text. */
async function planOf(t: TestContext, about: RegExp, work: Parameters<typeof plansOf>[1]) {
  const [plan, ...others] = (await plansOf(t, work)).filter(({ text }) => about.test(text))
  equal(others.length, 0)
  return plan?.steps ?? []
}

/** Files the one submission, of a student who is then followed up by one of two counselors. */
const aStudentIsFiled = async (db: Kysely<Schema>): Promise<Task[]> => {
  const tasks = await claimTasks(db, { lane: 'filing', now, token: 'A', limit: 1 })
  const cadenceId = await getOrCreateCadence(db, 'student', defaultSettings.followUp.student, now)
  const enrolment = { cadenceId, since: now, firstSteps: [{ step: 0, track: 'staff' as const, dueAt: 0 }] }
  const counselors = ['maria', 'sam'].map(id => ({
    id,
    weight: 1,
    states: ['TX'],
    programs: [],
    campuses: [],
    languages: [],
  }))
  const terms = { now, quarantine: limits, digest: someDigest, staffing: { ...noStaff, counselors } }
  equal(await fileSubmissions(db, tasks, [aFiling(1, { cadenceStart: enrolment })], terms), true)
  return claimTasks(db, { lane: 'mail', now, token: 'A', limit: 1 })
}

/** The first step of the student who was filed, claimed. */
const aStepIsClaimed = async (db: Kysely<Schema>): Promise<Task> => {
  await aStudentIsFiled(db)
  const [step] = await claimTasks(db, { lane: 'follow-up', now, token: 'A', limit: 1 })
  ok(step)
  return step
}

/** As many leads as that with the same words, of people with other addresses. */
async function copyTheLead(db: Kysely<Schema>, copies: number): Promise<void> {
  const [submission] = await db.selectFrom('submissions').selectAll().execute()
  const [lead] = await db.selectFrom('leads').selectAll().execute()
  const [words] = await db.selectFrom('lead_words').selectAll().execute()
  ok(submission && lead && words)
  const ids = Array.from({ length: copies }, (_, n) => n + 2)
  const submissions = ids.map(id => ({ ...submission, id, key: `key ${id}` }))
  const leads = ids.map(id => ({ ...lead, id, person_key: `student.${id}@mail.example` }))
  await db.insertInto('submissions').values(submissions).execute()
  await db.insertInto('leads').values(leads).execute()
  await db
    .insertInto('lead_words')
    .values(ids.map(id => ({ ...words, lead_id: id })))
    .execute()
}

/** How a search read the leads that it found. */
const leadsReadIn = (plans: Awaited<ReturnType<typeof plansOf>>): string =>
  plans.find(({ text }) => /"merged_into" is null/.test(text))?.steps.join('; ') ?? ''

const READ_BY_ID = /SEARCH leads USING INTEGER PRIMARY KEY/

const context: StepContext = {
  track: 'staff',
  addressHashes: ['hash 1'],
  hasPostalAddress: true,
  next: { step: 1, track: 'staff', dueAt: now + DAY },
  laterMessages: [1, 2],
  now,
}

/**
 * What is claimed or counted is first gathered, and then read as `free` or `open_steps`; counselors, their days and
 * destinations are few.
 */
const readWhole = (plans: Awaited<ReturnType<typeof plansOf>>) =>
  plans.filter(({ steps }) =>
    steps.some(step =>
      /^SCAN (?!free|open_steps|absences|turns|destinations|news|CONSTANT ROW|\d+-ROW VALUES)/.test(step),
    ),
  )

describe('SQLite, without statistics,', () => {
  test('looks for an earlier receipt among those of one address alone', async t => {
    const steps = await planOf(t, /'receipt'|"created_at" > \?/, async db => {
      await aStudentIsFiled(db)
      const again = [{ filing: aFiling(1), known: true }]
      await db.transaction().execute(tx => receiptsFor(tx, again, now))
    })
    match(steps.join('\n'), /tasks USING INDEX \S+ \(kind=\? AND subject=\?\)/)
    match(steps.join('\n'), /leads USING COVERING INDEX leads_person \(person_key=\? AND kind=\?\)/)
    match(steps.join('\n'), /timeline USING INDEX timeline_lead \(lead_id=\?\)/)
    deepEqual(
      steps.filter(step => /SCAN/.test(step)),
      [],
    )
  })

  test('reads nothing whole to file, or to note what was sent', async t => {
    const plans = await plansOf(t, async db => {
      const [mail] = await aStudentIsFiled(db)
      deepEqual(await recordSent(db, [{ task: mail as Task, to: 'Maria', now }]), [true])
    })
    ok(plans.length > 8)
    deepEqual(readWhole(plans), [])
  })

  test('reads nothing whole to do a step of a cadence', async t => {
    const plans = await plansOf(t, async db => {
      const step = await aStepIsClaimed(db)
      equal((await readFollowUp(db, 1))?.steps.length, 1)
      equal(await beginStep(db, step, context), 'go')
      const end = { ...context, state: 'done', note: null, name: 'remind' } as const
      equal(await concludeStep(db, step, end), true)
      await closeUnanswered(db, step, { ...context, lastCall })
      await readUnattended(db, { kind: 'student', waitingSince: now, unansweredSince: now, limit: 9 })
    })
    ok(plans.length > 20)
    deepEqual(readWhole(plans), [])
  })

  test('reads nothing whole for what people do with a lead, and for what comes back', async t => {
    const event = { kind: 'reply', detail: '', tell: true } as const
    const plans = await plansOf(t, async db => {
      await aStudentIsFiled(db)
      equal((await listFollowedCadences(db))[0]?.leads, 1)
      await changeStage(db, 1, { stage: 'contacted', closedReason: null, actor: null, now })
      const email = { subject: 'Hi', text: 'Hi', answers: undefined, reached: false, token: 'later', dueAt: now + 1 }
      await writeMessage(db, 1, { ...email, actor: 'maria', now })
      const [scheduled] = await listScheduledMessages(db, { actor: 'maria', operatorId: 1, limit: 9 })
      await withdrawMessage(db, scheduled?.entry ?? 0, { operatorId: undefined, now })
      await pauseLead(db, 1, { actor: null, now })
      await resumeLead(db, 1, { since: now, steps: [{ step: 0, dueAt: 1 }], actor: null, now })
      await stopFollowUpEmails(db, 1, { addressHash: 'hash 1', reason: 'complaint', now })
      await setMailboxPosition(db, 'inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
      const effect = { leadId: 1, event, suppression: null }
      await recordInbound(db, { mailbox: 'inbox', uidValidity: '1', uid: 1, effect }, now)
      equal((await readLatest(db, 1))?.submission.id, 1)
      equal((await findLeadsAt(db, 'student.1@mail.example', 'student')).length, 1)
      equal((await accountsAmong(db, ['hash 1', 'hash 2'])).size, 0)
    })
    ok(plans.length > 30)
    deepEqual(readWhole(plans), [])
  })

  test('reads nothing whole to delete a lead with its submissions', async t => {
    const plans = await plansOf(t, async db => {
      await aStudentIsFiled(db)
      await db.transaction().execute(async tx => {
        await deleteLeads(tx, [1], { note: 'erased', now })
        await deleteSubmissions(tx, [1])
      })
    })
    const references = plans.filter(({ text }) => /^delete/.test(text)).flatMap(({ steps }) => steps)
    ok(references.includes('SEARCH timeline USING COVERING INDEX timeline_about (submission_id=?)'))
    deepEqual(readWhole(plans), [])
  })

  test('finds the next steps by what is due, and not by what is done', async t => {
    const steps = await planOf(t, /"free"/, db => claimTasks(db, { lane: 'follow-up', now, token: 'A', limit: 3 }))
    const search = 'SEARCH tasks USING INDEX tasks_due (lane=? AND due_at<?)'
    ok(steps.includes(search))
    const lanes = await planOf(t, /as "follow-up"/, db => listDueLanes(db, { lanes: ['follow-up'], now }))
    ok(lanes.includes(search))
  })

  test('finds the former counselor by the address', async t => {
    const steps = await planOf(t, /"person_key", "owner"/, aStudentIsFiled)
    deepEqual(steps, ['SEARCH leads USING INDEX leads_person (person_key=? AND kind=?)'])
  })

  test('finds a message by its task', async t => {
    for (const kind of ['step', 'news', 'notify'] as const) {
      const plans = await plansOf(t, async db => {
        await aStudentIsFiled(db)
        await stopFollowUpEmails(db, 1, { addressHash: 'hash 1', reason: 'complaint', now })
        const subject = kind === 'news' ? 3 : 1
        equal((await findMessage(db, { kind, subject, step: 0 }))?.leadId, 1)
      })
      const [task, lead] = plans.slice(plans.findLastIndex(({ text }) => /"created_at", "begun_at"/.test(text)))
      match(String(task?.steps), /USING INDEX \S+ \(kind=\? AND subject=\? AND step=\?\)/)
      match(String(lead?.steps), /PRIMARY KEY \(rowid=\?\)|timeline_submission \(submission_id=\?\)/)
    }
  })

  test('finds what waits for a destination by an index, not among the tasks of all destinations', async t => {
    const plans = await plansOf(t, async db => {
      const { id } = await db.insertInto('destinations').values(aDestination).returning('id').executeTakeFirstOrThrow()
      const event = { type: 'lead.created', leadId: null, at: now, facts: {} }
      await addDeliveries(db, [
        newDelivery(id, { ...event, eventId: 'one' }),
        newDelivery(id, { ...event, eventId: 'two' }),
      ])
      await db.updateTable('deliveries').set({ lead_id: 1 }).execute()
      await holdDestination(db, id, { now, until: now + DAY })
      await releaseDestination(db, id, now)
      const attempt = { at: now, duration: 1, status: 200, response: '', note: '' }
      for (const [pause, outcome] of [
        [now + DAY, { again: now + DAY }],
        [undefined, { settled: 'done' }],
      ] as const) {
        const [task] = await claimTasks(db, { lane: 'deliveries', now, token: 'A', limit: 1 })
        ok(task)
        const delivery = await findDelivery(db, task.subject)
        ok(delivery)
        ok(await recordAttempt(db, { task, delivery, attempt, outcome, pause }))
        await db.updateTable('tasks').set({ due_at: 0 }).execute()
      }
    })
    const lookups = plans.filter(({ text }) => /"tasks"/.test(text) && /"deliveries"/.test(text))
    equal(lookups.length, 8)
    for (const { text, steps } of lookups) {
      ok(!steps.some(step => /\(kind=\?\)/.test(step)), `${text}\n${steps.join('\n')}`)
      ok(
        steps.some(step => /(deliveries|earlier) USING (COVERING )?INDEX deliveries_waiting \(/.test(step)),
        steps.join('\n'),
      )
    }
  })

  test('counts each lane of the backlog by an index, and no step that has not begun', async t => {
    const plans = await plansOf(t, db => countBacklog(db, now))
    deepEqual(
      plans.map(({ steps }) => steps[1]),
      [
        'SEARCH tasks USING INDEX tasks_due (lane=?)',
        'SEARCH tasks USING INDEX tasks_due (lane=?)',
        'SEARCH tasks USING INDEX tasks_due (lane=?)',
        'SEARCH tasks USING INDEX tasks_due (lane=?)',
        'SEARCH tasks USING INDEX tasks_begun (lane=? AND state=?)',
        'SEARCH tasks USING INDEX tasks_begun (lane=? AND state=?)',
        'SEARCH tasks USING INDEX tasks_dead (lane=?)',
        // What cannot be filed.
        'SEARCH tasks USING INDEX tasks_due (lane=?)',
        // Reminders, follow-up emails, imports, scans, deliveries and exports that wait.
        'SEARCH tasks USING INDEX tasks_due (lane=? AND due_at<?)',
        'SEARCH tasks USING INDEX tasks_due (lane=? AND due_at<?)',
        'SEARCH tasks USING INDEX tasks_due (lane=?)',
        'SEARCH tasks USING INDEX tasks_due (lane=?)',
        'SEARCH tasks USING INDEX tasks_due (lane=? AND due_at<?)',
        'SEARCH tasks USING INDEX tasks_due (lane=? AND due_at<?)',
        // Destinations that fail, and whether events wait for them.
        'SEARCH deliveries EXISTS USING COVERING INDEX deliveries_waiting (destination_id=? AND settled_at=?)',
        // The newest mails about no lead, at most 1,000; then those that wait, which have a table of their own.
        'SEARCH tasks USING INDEX sqlite_autoindex_tasks_1 (kind=?)',
        undefined,
        'SEARCH tasks USING INDEX tasks_due (lane=?)',
        // Destinations are few: those that are lost, and those that reject.
        undefined,
        undefined,
        // The jump of the clock is the one alarm that is open for its cause.
        undefined,
      ],
    )
  })

  for (const [index, filter] of [
    ['leads_recent', {}],
    ['leads_recent', { since: now - DAY, until: now }],
    ['leads_kind', { kind: 'site' }],
    ['leads_kind', { kind: 'site', until: now }],
    ['leads_stage', { stage: 'enrolled' }],
    ['leads_stage', { stage: 'enrolled', since: now - DAY }],
    ['leads_owner', { owner: 'maria' }],
    ['leads_owner', { owner: null, until: now }],
  ] as const) {
    for (const before of [undefined, 7]) {
      const named = `${Object.keys(filter).join(' and ') || 'nothing'}${before ? ', further on' : ''}`
      test(`lists leads by ${named} in the order of ${index}`, async t => {
        const steps = await planOf(t, /from "leads"/, db => listLeads(db, { ...filter, before, limit: 50 }))
        match(steps[0] ?? '', new RegExp(`^(SEARCH|SCAN) leads USING INDEX ${index}\\b`))
        if (before || 'since' in filter || 'until' in filter) match(steps[0] ?? '', /created_at[,<>)]/)
        ok(!steps.some(step => /TEMP B-TREE/.test(step)))
      })
    }
  }

  for (const [index, state] of [
    ['leads USING INDEX leads_open_owner (owner=?)', 'running'],
    ['h USING PRIMARY KEY (hand_over_id=?)', 'undoing'],
  ] as const)
    test(`reads the next leads of a hand-over that is ${state} in the order of an index, however many follow`, async t => {
      const plans = await plansOf(t, db => readHandOverPortion(db, { id: 1, from: 'maria', state }, 25))
      const closed = state === 'running' ? ['leads USING INDEX leads_unanswered (unanswered_since>?)'] : []
      deepEqual(
        plans.map(({ steps }) => steps.find(step => / (?:leads|h) /.test(step))),
        [index, ...closed].map(found => `SEARCH ${found}`),
      )
      ok(!plans.some(({ steps }) => steps.some(step => /TEMP B-TREE/.test(step))))
    })

  test('suggests where leads came from by the newest of them', async t => {
    const steps = await planOf(t, /from "leads"/, db => recentOrigins(db))
    match(steps[0] ?? '', /^SCAN leads USING INDEX leads_recent\b/)
    ok(!steps.some(step => /TEMP B-TREE/.test(step)))
  })

  for (const [index, filter] of [
    ['leads USING INDEX leads_recent', {}],
    ['leads USING INDEX leads_open', { stage: 'open', imported: false }],
    ['leads USING INDEX leads_open', { stage: 'open', imported: false, since: now }],
    ['leads USING INDEX leads_open', { stage: 'open' }],
    ['leads USING INDEX leads_new', { waiting: true, imported: false }],
    ['leads USING INDEX leads_new', { stage: 'new', imported: true }],
    ['leads USING INDEX leads_open_owner', { waiting: true, imported: false, owner: 'maria' }],
    ['leads USING INDEX leads_open_owner', { stage: 'contacted', owner: null }],
    ['leads USING INDEX leads_owner', { owner: 'maria' }],
    ['leads USING INDEX leads_stage', { stage: 'closed', kind: 'site' }],
    ['leads USING INDEX leads_open_owner', { stage: 'open', owner: 'maria' }],
    ['leads USING INDEX leads_open_owner', { stage: 'open', visibleTo: 'maria' }],
    ['leads USING INDEX leads_owner', { visibleTo: 'maria' }],
    ['leads USING INDEX leads_recent', { consent: null }],
  ] as const) {
    for (const after of [undefined, { at: now, id: 7 }]) {
      const named = `${Object.keys(filter).join(' and ') || 'nothing'}${after ? ', further on' : ''}`
      test(`fills the inbox by ${named} in the order of an index, and reads only those leads`, async t => {
        const plans = await plansOf(t, db => listInbox(db, filter, { after, limit: 50 }))
        const [page = '', last = ''] = plans.map(({ steps }) => steps.join('; ').replaceAll('COVERING ', ''))
        ok(page.includes(index), page)
        match(page, /SCAN found; SEARCH leads USING INTEGER PRIMARY KEY/)
        // What is found is put into its order once more, which is up to 10,000 leads.
        const open = 'stage' in filter && filter.stage === 'open'
        const merged = 'visibleTo' in filter || (open && ('owner' in filter || !('imported' in filter)))
        const sorted = (plan: string) => /TEMP B-TREE/.test(plan.replace(/; USE TEMP B-TREE[^;]*$/, ''))
        ok(merged || !sorted(page), page)
        ok(merged || !/TEMP B-TREE/.test(last), last)
        // Each part of a merge is in its order already.
        ok(!/USING INDEX leads_[^;]*; USE TEMP B-TREE[^;]*; COMPOUND/.test(page), page)
      })
    }
  }

  for (const [index, order, filter] of [
    ['leads_active', 'active', { stage: 'open' }],
    ['leads_active_owner', 'active', { stage: 'contacted', owner: 'maria' }],
    ['leads_hot', 'hottest', { waiting: true }],
    ['leads_hot_owner', 'hottest', { stage: 'open', owner: null }],
  ] as const)
    for (const after of [undefined, { at: 7, id: 7 }])
      test(`fills the inbox in the order ${order} by ${index}${after ? ', further on' : ''}`, async t => {
        const wanted = { ...filter, imported: false }
        const plans = await plansOf(t, db => listInbox(db, wanted, { after, order, limit: 50 }))
        const page = plans[0]?.steps.join('; ').replaceAll('COVERING ', '') ?? ''
        ok(page.includes(`leads USING INDEX ${index} (`), page)
        ok(!/TEMP B-TREE/.test(page.replace(/; USE TEMP B-TREE[^;]*$/, '')), page)
      })

  for (const [index, filter] of [
    ['leads_board (kind=? AND stage=?', {}],
    ['leads_board_owner (<expr>=? AND kind=? AND stage=?', { owner: 'maria' }],
    ['leads_board_owner (<expr>=? AND kind=? AND stage=?', { visibleTo: null }],
  ] as const)
    test(`fills the columns of the board by ${Object.keys(filter)[0] ?? 'nothing'} in the order of an index`, async t => {
      const board = { kind: 'student', ...filter } as const
      const columns = await plansOf(t, db => readBoard(db, board, { limit: 24 }))
      deepEqual(
        columns.slice(0, 5).map(({ steps }) => steps.join('; ')),
        // Only the row says whether someone is late.
        ['', ...Array(4).fill('COVERING ')].map(covering => `SEARCH leads USING ${covering}INDEX ${index})`),
      )
      const further = await planOf(t, /from "leads"/, db =>
        readBoardCards(db, board, { stage: 'new', after: { at: now, id: 7 }, limit: 24 }),
      )
      deepEqual(further, [`SEARCH leads USING INDEX ${index} AND <expr>>?)`])
    })

  test('searches for words block by block, and reads only the leads that have them', async t => {
    const plans = await plansOf(t, async db => {
      await aStudentIsFiled(db)
      const found = await listInbox(db, { words: parseWords('mail exam'), state: 'TX' }, { limit: 50 })
      equal(found.rows.length, 1)
    })
    const searches = plans.filter(({ text }) => /lead_search/.test(text))
    ok(searches.length > 0)
    // In the order of the index: what is found first is read first, and no more than that.
    for (const { steps } of searches) match(steps.join('; '), /^SCAN lead_search VIRTUAL TABLE INDEX [^;]*$/)
    match(leadsReadIn(plans), READ_BY_ID)
  })

  test('reads only the leads that have the words, even when a search finds hundreds', async t => {
    const filter = { kind: 'student', stage: 'new', state: 'TX' } as const
    for (const work of [
      (db: Kysely<Schema>) => listInbox(db, filter, { limit: 50 }),
      (db: Kysely<Schema>) => listLeads(db, { ...filter, limit: 50 }),
    ]) {
      const plans = await plansOf(t, async db => {
        await aStudentIsFiled(db)
        await copyTheLead(db, 500)
        await work(db)
      })
      match(leadsReadIn(plans), READ_BY_ID)
    }
  })

  test('finds who to call today by indexes, in their order', async t => {
    for (const owner of [undefined, 'maria']) {
      const plans = await plansOf(t, db => listDueLeads(db, { owner, until: now, limit: 200 }))
      const [callbacks, ...steps] = plans.map(plan => plan.steps.join('; ').replace(/ \([^)]*\)/g, ''))
      equal(callbacks, 'SEARCH c USING INDEX callbacks_due; SEARCH leads USING INTEGER PRIMARY KEY')
      equal(steps.length, owner === undefined ? 3 : 6)
      for (const step of steps)
        match(
          step,
          /^CO-ROUTINE leads; SEARCH leads USING INDEX leads_(unanswered|new|open_owner); SCAN leads(; USE TEMP B-TREE FOR ORDER BY)?$/,
        )
    }
  })

  test('finds the leads of one address or phone number without reading others', async t => {
    const plans = await plansOf(t, async db => {
      await findLeadsOf(db, 'ana@mercy.example')
      const phone = { phone: '+15125550142', digits: '5125550142' }
      await aStudentIsFiled(db)
      equal((await searchLeads(db, phone, { limit: 9 })).searchedBackTo, null)
    })
    const steps = plans.filter(({ text }) => /from "leads" where/.test(text)).map(plan => plan.steps)
    for (const index of ['leads_person (person_key=?)', 'leads_phone_e164 (', 'leads_latest_phone ('])
      ok(
        steps.flat().some(step => step.startsWith(`SEARCH leads USING INDEX ${index}`)),
        index,
      )
  })

  test('lists who has waited longest by the same index, from its other end', async t => {
    const steps = await planOf(t, /from "leads"/, db => listLeads(db, { stage: 'new', oldestFirst: true, limit: 50 }))
    deepEqual(steps, ['SEARCH leads USING INDEX leads_stage (stage=?)'])
    const answers = { unanswered: true, oldestFirst: true, limit: 50 }
    match(
      (await planOf(t, /from "leads"/, db => listLeads(db, answers))).join('; '),
      /^S\w+ leads USING INDEX leads_unanswered/,
    )
  })

  test('lists skipped and failed messages of all lanes by an index of their own', async t => {
    for (const [state, index] of [
      ['skipped', 'tasks_skipped'],
      ['failed', 'tasks_dead'],
    ] as const) {
      const plans = await plansOf(t, db => listMail(db, { state, before: { at: now, id: 9 }, limit: 50 }))
      deepEqual(
        plans.map(({ steps }) => steps),
        [
          [`SEARCH tasks USING INDEX ${index} (lane=? AND id<?)`],
          [`SEARCH tasks USING INDEX ${index} (lane=? AND id<?)`],
          [`SEARCH tasks USING INDEX ${index} (lane=? AND id<?)`],
          ['SEARCH tasks USING INDEX tasks_begun (lane=? AND state=? AND id<?)'],
          ['SEARCH tasks USING INDEX tasks_begun (lane=? AND state=? AND id<?)'],
        ],
      )
    }
  })

  test('lists what was sent by the time when it was, by an index of its own', async t => {
    for (const before of [undefined, { at: now, id: 9 }]) {
      const steps = await planOf(t, /from "tasks"/, db => listDelivery(db, { state: 'sent', before, limit: 50 }))
      match(steps[0] ?? '', /^(SCAN|SEARCH) tasks USING INDEX tasks_sent/)
      ok(!steps.some(step => step.includes('TEMP B-TREE')), steps.join('; '))
    }
    match((await planOf(t, /from "tasks"/, db => lastSentAt(db, now)))[0] ?? '', /^SEARCH tasks USING INDEX tasks_sent/)
  })

  test('retries and acknowledges the messages that were given up without reading others', async t => {
    const plans = await plansOf(t, async db => {
      await acknowledgeMail(db, 'failed', { now })
      await retryMail(db, 'failed', { now })
    })
    deepEqual(
      plans.map(({ steps }) => steps),
      [['SEARCH tasks USING INDEX tasks_dead (lane=?)'], ['SEARCH tasks USING INDEX tasks_dead (lane=?)']],
    )
  })

  test('lists the follow-up emails on their way among the steps that have begun', async t => {
    for (const state of ['queued', 'retrying'] as const) {
      const plans = await plansOf(t, db => listMail(db, { state, before: { at: now, id: 9 }, limit: 50 }))
      const [mail, , , letters] = plans.map(({ steps }) => steps)
      equal(mail?.[0], 'SEARCH tasks USING INDEX tasks_due (lane=?)')
      deepEqual(letters, ['SEARCH tasks USING INDEX tasks_begun (lane=? AND state=? AND id<?)'])
    }
  })

  test('looks for messages of rare kinds only as far back as a full page of the others goes', async t => {
    const plans = await plansOf(t, async db => {
      await aStudentIsFiled(db)
      await db.updateTable('tasks').set({ state: 'done' }).where('lane', '=', 'mail').execute()
      equal((await listMail(db, { limit: 1 })).length, 1)
    })
    const rare = plans
      .filter(({ text }) => /^select \* from "tasks" where "lane" = \?.* order by "id"/.test(text))
      .slice(1, 3)
    equal(rare.length, 2)
    for (const { steps } of rare) deepEqual(steps, ['SEARCH tasks USING INTEGER PRIMARY KEY (rowid>?)'])
  })

  test('finds the rows of people in imported lists without reading a list', async t => {
    const people = ['ana@mail.example', 'ben@mail.example']
    const steps = await planOf(t, /"import_rows"/, db => rowsOfPeople(db, { lists: [1, 2], people }))
    deepEqual(steps, [
      'SEARCH found USING COVERING INDEX import_rows_email (import_id=? AND person_key=?)',
      'SEARCH one USING PRIMARY KEY (import_id=? AND row_number=?)',
    ])
  })

  test('reads the latest inquiries of leads by an index, and no other rows of their history', async t => {
    const steps = await planOf(t, /row_number/, db => readLatestInquiries(db, [1, 2]))
    const searches = steps.filter(step => /^(?:SEARCH|SCAN) (?:timeline|s) /.test(step))
    deepEqual(searches, [
      'SEARCH timeline USING INDEX timeline_lead (lead_id=?)',
      'SEARCH s USING INTEGER PRIMARY KEY (rowid=?)',
    ])
  })

  test('lists one state of the quarantine in its order', async t => {
    const steps = await planOf(t, /from "quarantine"/, db =>
      listQuarantine(db, { state: 'dismissed', before: 9, limit: 50 }),
    )
    deepEqual(steps, [
      'SEARCH q USING INDEX quarantine_listed (state=? AND submission_id<?)',
      'SEARCH s USING INTEGER PRIMARY KEY (rowid=?)',
    ])
  })

  test('lets the quarantine expire without reading what was dismissed long ago', async t => {
    const plans = await plansOf(t, db => expireQuarantine(db, now, limits))
    // Before them, it asks whether the clock is trusted.
    const chosen = plans.filter(({ text }) => /^select.* from "(?:submissions|quarantine)"/.test(text))
    const [refused, lockedOut] = chosen.map(({ steps }) => steps)
    deepEqual(refused, [
      'SEARCH s USING COVERING INDEX submissions_refused (received_at<?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH q USING INTEGER PRIMARY KEY (rowid=?)',
    ])
    deepEqual(lockedOut, ['SEARCH quarantine USING INDEX quarantine_locked_out (held_at<?)'])
  })

  test('lists what one operator did by an index, the latest first', async t => {
    const steps = await planOf(t, /^select/, db => listAudit(db, { operatorId: 1, before: 99, limit: 10 }))
    deepEqual(steps, ['SEARCH audit_log USING INDEX audit_log_operator (operator_id=? AND id<?)'])
  })

  test('trims the quarantine by reading what is held', async t => {
    const steps = await planOf(t, /^select/, db => db.transaction().execute(tx => trimQuarantine(tx, now, limits)))
    deepEqual(steps, ['SEARCH quarantine USING INDEX quarantine_listed (state=?)'])
  })
})
