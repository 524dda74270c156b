/** What destinations hear of leads that status lists move: by hand, from the folder, and when a list is undone. */
import { deepEqual, equal } from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { takeStatusFiles } from '../../src/tasks/status-folder.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool } from '../tasks/school.ts'
import { addWebhook, startWithReceiver } from './add-destination.ts'

const HEADERS = 'Email,Status\n'
const plan = { columns: ['email', 'stage'], meanings: { enr: 'enrolled', app: 'applied' } } as const

onEachEngine(engine => {
  test('a webhook hears once, and in order, of each lead that a status list moves or puts back', async t => {
    const service = await startWithReceiver(t, { engine, settings: aSchool })
    const { admin, url, received, settle, clock, dataDir, app } = service
    const { store } = app
    await addWebhook(admin, url, {}, ['lead.stage_changed'])
    for (const name of ['ana', 'bea']) {
      await service.postStudent(aStudent({ email: `${name}@mail.example` }))
      await settle()
    }
    const byHand = async (rows: string) => {
      const now = clock.now()
      const file = { bytes: Buffer.from(HEADERS + rows), fileName: 'sis.csv', by: 'jo', now }
      const id = await storeList(store, { ...file, purpose: 'status' })
      await store.checkImport(id, { plan: { ...plan, columns: [...plan.columns] }, now })
      await settle()
      await store.startImport(id, { now })
      await settle()
      return id
    }
    const folder = join(dataDir, 'status')
    mkdirSync(folder)
    const fromTheFolder = async (rows: string) => {
      const path = join(folder, 'night.csv')
      writeFileSync(path, HEADERS + rows)
      utimesSync(path, (clock.now() - 5 * MINUTE) / 1000, (clock.now() - 5 * MINUTE) / 1000)
      const calendar = createCalendar(checkSettings(aSchool).settings)
      const config = { statusDir: folder }
      const log = pino({ level: 'silent' })
      await takeStatusFiles({ store, clock, calendar, changed: () => {}, config, log })
      await settle()
      return (await store.readImportsPage(1)).lists[0]?.id ?? 0
    }
    const undo = async (id: number) => {
      await store.undoImport(id, { now: clock.now() })
      await settle()
    }

    await undo(await byHand('ana@mail.example,APP\nbea@mail.example,ENR\n'))
    await byHand('ana@mail.example,APP\n')
    await undo(await fromTheFolder('ana@mail.example,ENR\nbea@mail.example,ENR\n'))

    const heard = (lead: number) =>
      received.flatMap(({ event }) => {
        const { id, stage } = event.data['lead'] as { id: number; stage: string }
        return id === lead ? [stage] : []
      })
    deepEqual(heard(1), ['applied', 'new', 'applied', 'enrolled', 'applied'])
    deepEqual(heard(2), ['enrolled', 'new', 'enrolled', 'new'])
    equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 9)
  })
})
