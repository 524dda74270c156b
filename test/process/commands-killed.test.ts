/** A command that is killed in the middle leaves nothing half done, beside a service or before it starts. */
import { deepEqual, equal } from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { onEachEngine } from '../support/engines.ts'
import { eventually } from './faults.ts'
import { aSchool, assertCountsTrue, type Moment, type School, settings } from './managers.ts'

/** Leads of these addresses, with the ids 1, 2 and so on; their messages are files. */
async function withLeads(t: TestContext, { database, dataDir }: School, emails: string[]) {
  const clock = testClock(Date.now())
  const app = await startApp(t, { database, dataDir, settings, clock, mail: 'real' })
  for (const email of emails) {
    await app.postStudent(aStudent({ email }))
    await app.settle()
  }
  await app.close()
}

async function runToItsEnd(school: School, ...args: string[]): Promise<void> {
  const command = await school.command(...args)
  equal((await command.exit).code, 0, command.stderr())
}

const audited = ({ count }: School, action: string) =>
  count(`select count(*) as n from audit_log where action = '${action}'`)

describe('a command that is killed in the middle of', { concurrency: 3 }, () => {
  onEachEngine(engine => {
    test('a merge: both leads are as they were, and the next merges them once, with one email', async t => {
      const school = await aSchool(t, engine)
      const { count } = school
      await withLeads(t, school, ['ben@mail.example', 'ben@work.example'])
      const service = await school.start()
      const everything = () =>
        Promise.all(
          [
            'select * from leads order by id',
            'select * from timeline order by id',
            `select * from tasks where kind in ('step', 'receipt', 'notify', 'news') order by id`,
            'select lead_id, words from lead_words order by lead_id',
          ].map(school.run),
        )
      const before = await everything()
      const merge = ['leads', 'merge', '1', '2']
      const end = { on: 'insert', table: 'timeline', when: `new.kind = 'merged'` } as const
      equal(await school.killAt(end, () => school.command(...merge)), service)
      deepEqual(await everything(), before)

      await runToItsEnd(school, ...merge)
      equal(await count('select merged_into as n from leads where id = 2'), 1)
      equal(await count(`select count(*) as n from timeline where kind = 'merged'`), 1)
      equal(await count('select count(*) as n from timeline where lead_id = 2'), 0)
      const told = `select count(*) as n from tasks where kind = 'news' and state = 'done'`
      await eventually(async () => (await count(told)) === 1, 'the counselor got no email')
      equal(await count(`select count(*) as n from tasks where kind = 'news'`), 1)
      equal(school.mails('news').length, 1)
      await service.kill('SIGTERM')
      await assertCountsTrue(school)
    })

    test('an erasure: all of the person is still there, and the next erases all of it', async t => {
      const school = await aSchool(t, engine)
      const { count } = school
      await withLeads(t, school, ['canary@mail.example', 'ana@mail.example'])
      const service = await school.start()
      const rows = () =>
        Promise.all(
          ['leads', 'submissions', 'timeline', 'erasures'].map(table => count(`select count(*) as n from ${table}`)),
        )
      const before = await rows()
      const erase = ['leads', 'erase', 'canary@mail.example', '--yes']
      const row = `old.email = 'canary@mail.example'`
      await school.killAt({ on: 'delete', table: 'leads', when: row }, () => school.command(...erase))
      deepEqual(await rows(), before)

      await runToItsEnd(school, ...erase)
      equal(await count('select count(*) as n from leads'), 1)
      equal(await count('select count(*) as n from submissions'), 1)
      equal(await count('select count(*) as n from erasures'), 1)
      const folder = join(school.dataDir, 'mail')
      const texts = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
      equal(texts.filter(text => text.includes('canary@')).length, 0)
      await service.kill('SIGTERM')
    })

    test('an import, at any stage: no one is imported, and the next imports everyone once', async t => {
      const school = await aSchool(t, engine)
      const { run, count } = school
      const length = 600
      const rows = Array.from({ length }, (_, n) => `P${n} Okafor,p${n}@mail.example,5125550100,TX`)
      writeFileSync(join(school.dataDir, 'fair.csv'), ['Name,Email,Phone,State', ...rows].join('\n'))
      const list = ['leads', 'import', 'fair.csv', '--source', 'Fair Austin']
      const states = async () => (await run('select state from imports order by id')).map(({ state }) => state)
      const importKilledAt = (moment: Moment) => school.kill(moment, () => school.command(...list))
      // The rows are stored 250 at a time.
      await importKilledAt({ on: 'insert', table: 'import_rows', when: 'new.row_number = 400' })
      deepEqual(await states(), ['reading'])
      const start = `new.action = 'imported leads'`
      await importKilledAt({ on: 'insert', table: 'audit_log', when: start })
      deepEqual(await states(), ['reading', 'checked'])
      const check = `new.state = 'checking' and new.done > 200`
      await importKilledAt({ on: 'update', table: 'imports', when: check })
      deepEqual(await states(), ['reading', 'checked', 'checking'])
      equal(await count('select count(*) as n from leads'), 0)
      equal(await audited(school, 'imported leads'), 0)

      const service = await school.start()
      // Beside other processes, a claim of one that was killed ends with its lease.
      await run(`update tasks set lease_until = 0 where kind = 'import' and state = 'due'`)
      await eventually(async () => (await states())[2] === 'checked', 'the list was not checked')
      await runToItsEnd(school, ...list)
      const untilDone = (id: number) =>
        eventually(async () => (await states())[id - 1] === 'done', `list ${id} was not imported`)
      await untilDone(4)
      equal(await count('select count(*) as n from leads'), length)
      equal(await count('select count(*) as n from submissions'), length)

      // A list that was checked can still be started, but none of its rows is imported a second time.
      const manager = await school.manager(service)
      await manager.post('/import/2/start')
      await untilDone(2)
      equal(await count('select repeated as n from imports where id = 2'), length)
      equal(await count('select count(*) as n from leads'), length)
      equal(await count('select count(*) as n from submissions'), length)
      await service.kill('SIGTERM')
      await assertCountsTrue(school)
    })
  })
})
