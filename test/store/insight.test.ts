/** What insight counts: who wrote in when, how fast they were reached, how far they came. */
import { deepEqual, equal } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { defaultSettings } from '../../src/config/settings.ts'
import type { Kind } from '../../src/leads/body/submission.ts'
import type { Entered } from '../../src/leads/lead/entered.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import type { Insight, InsightQuery } from '../../src/store/insight/insight.ts'
import type { Store } from '../../src/store/store.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { aForm, someForm } from '../support/form-details.ts'
import { aFiling, anArrival, noStaff, someDigest, startStore } from '../support/store.ts'

const { school } = defaultSettings
const range: InsightQuery = { from: '2026-11-01', to: '2026-12-31' }

const contacted = { stage: 'contacted', closedReason: null }
const closed = { stage: 'closed', closedReason: 'not interested' } as const

/** A store that files leads, and counts them. */
async function aStore(t: TestContext, engine: Engine) {
  const started = await startStore(t, { engine })
  const { store, clock, database } = started
  let filed = 0
  return {
    ...started,
    by: () => ({ actor: 'maria', now: clock.now() }),
    count: () => countAll(store),
    read: async (query: Partial<InsightQuery> = {}) => {
      await countAll(store)
      return store.readInsight({ ...range, ...query })
    },
    file: async ({
      kind = 'student' as Kind,
      source,
      campaign,
      state = 'TX',
      heard,
      entered,
    }: {
      kind?: Kind
      source?: string
      campaign?: string
      state?: string | undefined
      heard?: string
      entered?: Entered
    } = {}) => {
      const id = ++filed
      const said = heard === undefined ? {} : { source: { rank: 1, text: `1 - ${heard}` } }
      await store.accept(
        anArrival({
          kind,
          ...(kind === 'student' && { body: JSON.stringify(said) }),
          ...(entered && { form: aForm({ entered, placement: 'staff' }) }),
        }),
      )
      const now = clock.now()
      const tasks = await store.claimTasks({ lane: 'filing', now, token: 'A', limit: 9 })
      const lead = aFiling(id, { person: { state } })
      const { page: _, ...form } = someForm({
        campaign: { ...(source && { source }), ...(campaign && { campaign }) },
        ...(entered && { entered, placement: 'staff' }),
      })
      lead.submission = { ...lead.submission, kind, receivedAt: now, form }
      const terms = { now, quarantine: { days: 30, capacity: 10 }, digest: someDigest }
      await store.fileSubmissions(tasks, [lead], { ...terms, staffing: noStaff })
      await store.finishTasks(tasks, now)
      return id
    },
    /** Everything that is counted, apart from the order. */
    counts: async () => {
      const rows = await sql(database, 'select * from insight_counts order by dimension, period, kind, value')
      return rows.map(row => ({ ...row, counts: JSON.parse(String(row['counts'])) }))
    },
    run: (text: string) => sql(database, text),
  }
}

async function countAll(store: Pick<Store, 'countLeads'>, limit = 7): Promise<void> {
  while (await store.countLeads({ school, limit }));
}

/** What a test compares of a tally. */
const brief = ({ stages, waiting, closed, wall, working }: Insight['all']) => ({
  stages,
  open: [waiting, closed],
  wall: wall.bands,
  working: working.bands,
})

onEachEngine(engine => {
  describe('insight', () => {
    test('has nothing to show before anyone has written', async t => {
      const { read } = await aStore(t, engine)
      const { days, all, by, changedSince } = await read()
      deepEqual([days, all.leads, all.wall.p50, by.source.values], [[], 0, null, []])
      equal(changedSince, null)
    })

    test('counts leads by the day at the school, by kind, source, campaign, state and counselor', async t => {
      const { file, read, clock, store, by } = await aStore(t, engine)
      await file({ source: 'Facebook', campaign: 'Spring' })
      await file({ source: 'facebook ', state: 'NY' })
      // In New York it is still the 21st.
      clock.advance(8 * HOUR)
      await file({ kind: 'site' })
      clock.advance(2 * HOUR)
      const late = await file()
      await store.assignLead(late, { owner: 'sam', ...by() })
      const insight = await read()
      deepEqual(insight.days, [
        { day: '2026-11-21', kind: 'site', leads: 1 },
        { day: '2026-11-21', kind: 'student', leads: 2 },
        { day: '2026-11-22', kind: 'student', leads: 1 },
      ])
      const valuesOf = (name: keyof Insight['by'], of = insight) =>
        of.by[name].values.map(({ value, leads }) => `${value} ${leads}`)
      deepEqual(valuesOf('source'), [' 2', 'facebook 2'])
      deepEqual(valuesOf('campaign'), [' 3', 'spring 1'])
      deepEqual(valuesOf('state'), ['TX 3', 'NY 1'])
      deepEqual(valuesOf('counselor'), [' 3', 'sam 1'])
      equal(insight.byKind.site.leads, 1)
      const students = await read({ kind: 'student', to: '2026-11-21' })
      deepEqual([students.all.leads, valuesOf('source', students)], [2, ['facebook 2']])
      equal((await read({ from: '2026-11-22' })).all.leads, 1)
      equal((await read({ from: '2026-11-23' })).all.leads, 0)
    })

    test('says how long it took until someone reached them, in all hours and in school hours', async t => {
      const { file, read, clock, store, by } = await aStore(t, engine)
      // Saturday at 15:00, when the school is closed.
      const ids = [await file(), await file(), await file(), await file()]
      const reachIn = async (time: number) => {
        clock.advance(time)
        await store.changeStage(ids.shift() ?? 0, { ...contacted, ...by() })
      }
      await reachIn(4 * MINUTE)
      await reachIn(2 * HOUR)
      // Monday at 11:00.
      await reachIn(42 * HOUR - 4 * MINUTE)
      const { all } = await read()
      deepEqual(brief(all), { stages: [4, 3, 0, 0, 0], open: [1, 0], wall: [1, 0, 1, 0, 1], working: [2, 0, 1, 0, 0] })
      deepEqual([all.reached, all.wall.count], [3, 3])
      equal(all.wall.p50, 2.5 * HOUR)
    })

    test('follows a lead through its stages, and back when they are undone', async t => {
      const { file, read, store, by, clock } = await aStore(t, engine)
      const id = await file()
      const stages = async () => (await read()).all.stages
      for (const stage of ['contacted', 'qualified', 'applied', 'enrolled'])
        await store.changeStage(id, { stage, closedReason: null, ...by() })
      deepEqual(await stages(), [1, 1, 1, 1, 1])
      const enrolled = await store.readLatestEntry(id, ['stage'])
      await store.undoAction(enrolled?.id ?? 0, by())
      deepEqual(await stages(), [1, 1, 1, 1, 0])
      clock.advance(HOUR)
      await store.changeStage(id, { ...closed, ...by() })
      // Closed, they have come as far as before.
      deepEqual(brief((await read()).all), {
        stages: [1, 1, 1, 1, 0],
        open: [0, 0],
        wall: [1, 0, 0, 0, 0],
        working: [1, 0, 0, 0, 0],
      })
    })

    test('tells those who were closed without contact from those who wait, and counts no spam', async t => {
      const { file, read, store, by } = await aStore(t, engine)
      for (const closedReason of ['unreachable', 'spam', 'not a lead', 'duplicate'] as const)
        await store.changeStage(await file(), { stage: 'closed', closedReason, ...by() })
      await file()
      deepEqual(brief((await read()).all).open, [1, 1])
    })

    test('counts how fast someone was for the one who had the lead then, not for the next', async t => {
      const { file, read, store, by, clock } = await aStore(t, engine)
      const [reached, waiting] = [await file(), await file()]
      for (const id of [reached, waiting]) await store.assignLead(id, { owner: 'sam', ...by() })
      await store.changeStage(reached, { ...contacted, ...by() })
      clock.advance(DAY)
      for (const id of [reached, waiting]) await store.assignLead(id, { owner: 'ana', ...by() })
      const { values } = (await read()).by.counselor
      deepEqual(
        values.map(({ value, leads, reached }) => [value, leads, reached]),
        [
          ['ana', 1, 0],
          ['sam', 1, 1],
        ],
      )
    })

    test('keeps those who were erased, but not a name that says who it was', async t => {
      const { file, read, store, clock, run } = await aStore(t, engine)
      await file({ source: 'mail-to-ana', heard: 'Ana told me' })
      for (let i = 0; i < 5; i++) await file({ source: 'facebook', heard: 'Facebook' })
      await read()
      for (const id of [1, 2]) {
        const erasure = { askedBy: 'maria', reason: 'asked' as const, addressHash: 'hash', now: clock.now() }
        await store.erasePerson(`student.${id}@mail.example`, erasure)
      }
      const { all, by } = await read()
      equal(all.leads, 6)
      deepEqual(
        by.source.values.map(({ value, leads }) => [value, leads]),
        [
          ['facebook', 5],
          ['', 1],
        ],
      )
      deepEqual(
        by.heard.values.map(({ value, leads }) => [value, leads]),
        [
          ['facebook', 5],
          ['', 1],
        ],
      )
      const facts = await run('select lead_id from lead_facts order by lead_id')
      deepEqual(
        facts.map(row => row['lead_id']),
        [3, 4, 5, 6],
      )
    })

    test('counts people who were imported or entered by hand separately, with how far they came', async t => {
      const { file, read, store, by } = await aStore(t, engine)
      const entered: Entered = { by: 'jo', name: 'Jo', mayWrite: false, reached: false }
      await file({ source: 'facebook', heard: 'A friend' })
      await file({ source: 'Fair Austin', entered: { ...entered, importId: 1 } })
      const called = await file({ source: 'Fair Austin', entered })
      await store.changeStage(called, { ...contacted, ...by() })
      const insight = await read()
      deepEqual([insight.all.leads, insight.byKind.student.leads, insight.entered.leads], [1, 1, 2])
      deepEqual(brief(insight.all).stages, [1, 0, 0, 0, 0])
      const { entered: apart, ...others } = insight.by
      deepEqual(
        apart.values.map(({ value, stages }) => [value, ...stages]),
        [['fair austin', 2, 1, 0, 0, 0]],
      )
      for (const { values } of Object.values(others)) equal(values.length, 1)
      deepEqual(
        insight.days.map(({ leads }) => leads),
        [1],
      )
    })

    test('counts how students heard of the school by the first inquiry that says so, and asks no site', async t => {
      const { file, read, counts, run } = await aStore(t, engine)
      await file({ heard: 'A friend' })
      await file({ heard: 'a FRIEND ' })
      await file()
      await file({ kind: 'site' })
      const heard = async () => (await read()).by.heard.values.map(({ value, leads }) => `${value} ${leads}`)
      deepEqual(await heard(), ['a friend 2', ' 1'])
      // As after an upgrade: the leads that there are were counted without it, and a migration has marked them.
      const all = await counts()
      await run(`delete from insight_counts where dimension = 'heard'`)
      await run('update lead_facts set heard = null')
      await run('insert into changed_leads (lead_id) select id from leads order by id desc')
      deepEqual(await heard(), ['a friend 2', ' 1'])
      deepEqual(await counts(), all)
    })

    test('adds up rare values in one row', async t => {
      const { file, read } = await aStore(t, engine)
      for (let i = 0; i < 31; i++) await file({ source: `site-${i}` })
      for (let i = 0; i < 2; i++) await file({ source: 'facebook' })
      const { values, others } = (await read()).by.source
      deepEqual([values.length, values[0]?.value, others?.leads], [30, 'facebook', 2])
    })

    test('says how far it is behind', async t => {
      const { file, store, clock } = await aStore(t, engine)
      const at = clock.now()
      await file()
      clock.advance(HOUR)
      equal((await store.readInsight(range)).changedSince, at)
      await countAll(store)
      const { all, changedSince } = await store.readInsight(range)
      deepEqual([all.leads, changedSince], [1, null])
    })

    test('has the same counts as counting everything again, whatever was done and in which order', async t => {
      const { file, store, by, clock, counts, run, count } = await aStore(t, engine)
      const sources = [undefined, 'facebook', 'Fair']
      const ids: number[] = []
      const lead = fc.nat(20).map(n => () => ids[n % Math.max(1, ids.length)] ?? 0)
      const stage = fc.constantFrom('new', 'contacted', 'qualified', 'enrolled')
      const action = fc.oneof(
        {
          weight: 3,
          arbitrary: fc.constantFrom(...sources).map(source => async () => {
            ids.push(await file({ ...(source && { source }) }))
          }),
        },
        fc.tuple(lead, stage).map(
          ([id, stage]) =>
            () =>
              store.changeStage(id(), { stage, closedReason: null, ...by() }),
        ),
        lead.map(id => () => store.changeStage(id(), { ...closed, ...by() })),
        lead.map(id => () => store.changeStage(id(), { stage: 'closed', closedReason: 'spam', ...by() })),
        fc.tuple(lead, fc.constantFrom('sam', 'ana', null)).map(
          ([id, owner]) =>
            () =>
              store.assignLead(id(), { owner, ...by() }),
        ),
        lead.map(id => async () => {
          const entry = await store.readLatestEntry(id(), ['stage', 'assigned'], { standing: true })
          if (entry) await store.undoAction(entry.id, by())
        }),
        lead.map(id => async () => {
          await run(`delete from timeline where lead_id = ${id()}`)
          await run(`delete from leads where id = ${id()}`)
        }),
        fc.integer({ min: 1, max: 3 * DAY }).map(time => async () => clock.advance(time)),
        fc.integer({ min: 1, max: 5 }).map(limit => () => store.countLeads({ school, limit })),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async actions => {
          for (const act of actions) await act()
          await count()
          const kept = await counts()
          for (const table of ['insight_counts', 'lead_facts']) await run(`delete from ${table}`)
          await run('insert into changed_leads (lead_id) select id from leads order by id desc')
          await count()
          deepEqual(kept, await counts())
        }),
        { numRuns: 10 },
      )
    })

    test('shows for any range the sums of its days, wherever in a month it begins and ends', async t => {
      const { file, store, clock, by, count } = await aStore(t, engine)
      const days: string[] = []
      for (let day = 0; day < 75; day += 3, clock.advance(3 * DAY)) {
        const now = Temporal.Instant.fromEpochMilliseconds(clock.now())
        days.push(now.toZonedDateTimeISO(school.timeZone).toPlainDate().toString())
        const source = ['facebook', 'fair', undefined][day % 4]
        const id = await file({ kind: day % 2 ? 'site' : 'student', ...(source && { source }) })
        clock.advance(day * MINUTE)
        if (day % 5 > 0) await store.changeStage(id, { ...contacted, ...by() })
      }
      await count()
      const first = Temporal.PlainDate.from('2026-11-15')
      const day = fc.nat(100).map(n => first.add({ days: n }).toString())
      await fc.assert(
        fc.asyncProperty(day, day, async (one, another) => {
          const [from = '', to = ''] = [one, another].sort()
          const { all, by, days: found } = await store.readInsight({ from, to })
          const ids = days.flatMap((day, n) => (from <= day && day <= to ? [n] : []))
          const reached = ids.filter(n => (3 * n) % 5 > 0)
          deepEqual([all.leads, all.reached, found.length], [ids.length, reached.length, ids.length])
          equal(all.wall.count, reached.length)
          const sources = Object.groupBy(ids, n => ['facebook', 'fair'][(3 * n) % 4] ?? '')
          deepEqual(
            Object.fromEntries(by.source.values.map(({ value, leads }) => [value, leads])),
            Object.fromEntries(Object.entries(sources).map(([name, some = []]) => [name, some.length])),
          )
        }),
        { numRuns: 30 },
      )
    })

    test('counts each change once, even where two processes count at the same time', async t => {
      const { file, store, database, clock, read, by } = await aStore(t, engine)
      const other = await startStore(t, { database, clock })
      for (let i = 0; i < 9; i++) await file()
      await Promise.all([
        countAll(store, 2),
        countAll(other.store, 2),
        ...[1, 2, 3, 4].map(id => store.changeStage(id, { ...contacted, ...by() })),
      ])
      const { all } = await read()
      deepEqual([all.leads, all.reached], [9, 4])
    })
  })
})
