/** What erasing a person does to tasks, of whatever kind. */
import { deepEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY } from '../../src/platform/time.ts'
import type { TaskKind } from '../../src/store/tables/task-kinds.ts'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { asked } from '../support/store.ts'

const BEN = 'ben@mail.example'

/**
 * What a task of each kind is about of a person; null if it is not about a person, and so stays, whatever its number
 * is. The compiler asks for a new kind. Written beside `src/store/tables/task-kinds.ts`, not taken from there.
 */
const about: Record<TaskKind, 'submission' | 'lead' | 'entry' | 'stray' | null> = {
  refile: 'submission',
  notify: 'submission',
  receipt: 'submission',
  account: 'submission',
  step: 'lead',
  news: 'entry',
  message: 'entry',
  scan: 'entry',
  forward: 'stray',
  // About everything that was committed together; filing skips what is gone.
  file: null,
  digest: null,
  unattended: null,
  strays: null,
  daily: null,
  report: null,
  retention: null,
  invitation: null,
  reset: null,
  security: null,
  'hand-over': null,
  erasure: null,
  import: null,
  imported: null,
  // About a delivery, which is deleted with its lead (`test/destinations/`).
  deliver: null,
  alarm: null,
  'alarm-over': null,
  export: null,
}

onEachEngine(engine => {
  describe('erasing a person', () => {
    test('ends each task about them, of every kind, forgets what it says, and leaves all others', async t => {
      const { app, postStudent, settle, clock, database } = await startApp(t, { engine })
      const { store } = app
      await postStudent(aStudent({ email: BEN }))
      await settle()
      const now = clock.now()
      await store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
      const mail = { sender: BEN, subject: 'Hello', text: 'Ben', attachments: [] }
      const stray = { mail, morning: { day: 20270101, at: now + DAY } }
      const place = { mailbox: 'inbox', uidValidity: '1', uid: 1, effect: null }
      await store.recordInbound({ ...place, stray }, now)
      const idIn = async (table: string) =>
        Number((await sql(database, `select max(id) as id from ${table}`))[0]?.['id'])
      const [submission, lead] = [await idIn('submissions'), await idIn('leads')]
      const [entry, strayId] = [await idIn('timeline'), await idIn('stray_mail')]
      const subjects = { submission, lead, entry, stray: strayId }
      await sql(database, 'delete from tasks')

      const kinds = Object.keys(about) as TaskKind[]
      for (const kind of kinds) {
        const what = about[kind]
        // A number that means something else must not end it.
        const subject = what === null ? lead : subjects[what]
        for (const [step, state] of (['due', 'dead', 'done'] as const).entries())
          await sql(
            database,
            `insert into tasks (lane, kind, subject, through, step, due_at, state, attempts, note, created_at)
              values ('mail', '${kind}', ${subject}, ${kind === 'file' ? subject : null}, ${step}, ${now + DAY}, '${state}', 1, 'no ${BEN}', ${now})`,
          )
      }
      const erased = await store.erasePerson(BEN, { ...asked, addressHash: undefined, now })

      const rows = await sql(database, 'select kind, state, note from tasks order by id')
      const left = (kind: TaskKind) =>
        rows.filter(row => row['kind'] === kind).map(row => `${row['state']} ${row['note']}`)
      const gone = [...Array(2).fill('skipped the lead was erased'), 'done null']
      const same = ['due', 'dead', 'done'].map(state => `${state} no ${BEN}`)
      deepEqual(
        Object.fromEntries(kinds.map(kind => [kind, left(kind)])),
        Object.fromEntries(kinds.map(kind => [kind, about[kind] === null ? same : gone])),
      )
      const named = new Set(erased.messages.map(({ kind }) => kind))
      ok(kinds.every(kind => named.has(kind) === (about[kind] !== null)))
    })
  })
})
