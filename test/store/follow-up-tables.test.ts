/** The small tables of the follow-up: cadences, absences, accounts, and sent messages. */
import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/settings.ts'
import { countRows, onEachEngine } from '../support/engines.ts'
import { aFiling, anArrival, asked, noStaff, someDigest, startStore } from '../support/store.ts'

const { student, site } = defaultSettings.followUp

onEachEngine(engine => {
  describe('a version of a cadence', () => {
    test('is saved once under one id, whichever process saves it', async t => {
      const { store, database, clock } = await startStore(t, { engine })
      const other = await startStore(t, { database, clock })
      const ids = await Promise.all(
        [store, other.store, store, other.store].map(store =>
          store.getOrCreateCadence('student', structuredClone(student), clock.now()),
        ),
      )
      deepEqual(new Set(ids), new Set([ids[0]]))
      equal(await store.getOrCreateCadence('student', student, clock.now() + 1), ids[0])
      equal(await countRows(database, 'cadences'), 1)
    })

    test('is a new version if a word changes, and for the other kind', async t => {
      const { store, database } = await startStore(t, { engine })
      const id = await store.getOrCreateCadence('student', student, 0)
      const [first, ...others] = student
      const changed = [{ ...first, after: '6 minutes' } as typeof first & object, ...others]
      notEqual(await store.getOrCreateCadence('student', changed, 0), id)
      notEqual(await store.getOrCreateCadence('site', student, 0), id)
      await store.getOrCreateCadence('site', site, 0)
      equal(await store.getOrCreateCadence('student', student, 0), id)
      equal(await countRows(database, 'cadences'), 4)
    })
  })

  describe('absences', () => {
    test('are listed from the day on which they end, in their order', async t => {
      const { store } = await startStore(t, { engine })
      const away = (counselor: string, firstDay: string, lastDay: string) =>
        store.addAbsence({ counselor, firstDay, lastDay })
      const later = await away('sam', '2026-12-24', '2027-01-02')
      const sooner = await away('maria', '2026-11-20', '2026-11-23')
      await away('maria', '2026-11-01', '2026-11-22')
      const ids = async (day: string) => (await store.listAbsences(day)).map(({ id }) => id)
      deepEqual(await ids('2026-11-23'), [sooner, later])
      deepEqual(await ids('2026-11-24'), [later])
      deepEqual(await store.listAbsences('2027-01-02'), [
        { id: later, counselor: 'sam', createdBy: null, firstDay: '2026-12-24', lastDay: '2027-01-02' },
      ])
      equal(await store.removeAbsence(later), true)
      equal(await store.removeAbsence(later), false)
      deepEqual(await ids('2027-01-01'), [])
    })
  })

  describe('the table of accounts', () => {
    test('takes any number of addresses, each once', async t => {
      const { store } = await startStore(t, { engine })
      const hashes = Array.from({ length: 1203 }, (_, i) => `hash ${i}`)
      equal(await store.importAccounts([...hashes, ...hashes], { replace: false }), 1203)
      equal(await store.importAccounts(['hash 7', 'another'], { replace: false }), 1204)
      deepEqual(await store.accountsAmong(['hash 1203', 'hash 1202', 'hash 7']), new Set(['hash 1202', 'hash 7']))
    })

    test('is replaced as a whole, also by nothing', async t => {
      const { store } = await startStore(t, { engine })
      await store.importAccounts(['one', 'two'], { replace: false })
      equal(await store.importAccounts(['two', 'three'], { replace: true }), 2)
      deepEqual(await store.accountsAmong(['one', 'two']), new Set(['two']))
      equal(await store.importAccounts([], { replace: true }), 0)
      deepEqual(await store.accountsAmong(['one', 'two']), new Set())
    })
  })

  describe('a message of ours', () => {
    test('leads to its lead, as long as that exists', async t => {
      const { store, clock } = await startStore(t, { engine })
      const now = clock.now()
      await store.accept(anArrival())
      const tasks = await store.claimTasks({ lane: 'filing', now, token: 'A', limit: 1 })
      const cadenceId = await store.getOrCreateCadence('student', student, now)
      const enrolment = { cadenceId, since: now, firstSteps: [{ step: 3, track: 'student', dueAt: now }] } as const
      const terms = { now, quarantine: { days: 30, capacity: 10 }, digest: someDigest, staffing: noStaff }
      await store.fileSubmissions(tasks, [aFiling(1, { cadenceStart: enrolment })], terms)
      await store.stopFollowUpEmails(1, { addressHash: 'hash 1', reason: 'complaint', now: now + 1 })
      const found = { leadId: 1, createdAt: now, sentAt: now, toStudent: true }
      const find = (kind: 'step' | 'news' | 'notify' | 'receipt' | 'account', subject = 1, step = 0) =>
        store.findMessage({ kind, subject, step })
      deepEqual(await find('step', 1, 3), found)
      deepEqual(await find('notify'), { ...found, toStudent: false })
      deepEqual(await find('receipt'), found)
      const later = { createdAt: now + 1, sentAt: now + 1 }
      deepEqual(await find('news', 2), { leadId: 1, ...later, toStudent: false })
      for (const unknown of [find('step', 1, 4), find('account'), find('notify', 2), find('news')]) {
        equal(await unknown, undefined)
      }
      await store.erasePerson((await store.readLead(1))?.lead.email ?? '', { ...asked, addressHash: 'hash 1', now })
      for (const gone of [find('step', 1, 3), find('notify'), find('receipt'), find('news', 2)]) {
        equal(await gone, undefined)
      }
    })
  })
})
