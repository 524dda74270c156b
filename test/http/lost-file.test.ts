/** The file of an SQLite database that is deleted or replaced while the service has it open. */
import { equal, match } from 'node:assert/strict'
import { copyFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'

for (const [what, take] of [
  ['deleted', () => {}],
  ['replaced', (file: string, away: string) => copyFileSync(away, file)],
  ['replaced by a link that leads nowhere', (file: string) => symlinkSync(file, file)],
] as const)
  test(`a database that was ${what} accepts nothing, and goes on once its file is back`, async t => {
    const service = await startApp(t)
    const file = service.database.engine === 'sqlite' ? service.database.file : ''
    equal((await service.postSite(aSite())).status, 200)
    renameSync(file, `${file}.away`)
    take(file, `${file}.away`)

    const refused = await service.postStudent(aStudent())
    equal(refused.status, 503)
    equal(refused.headers.get('retry-after') === null, false)
    const ready = await service.request(`${service.origin.console}/readyz`)
    equal(ready.status, 503)
    match(ready.text, /frontdesk\.db was deleted or replaced while the service runs/)

    rmSync(file, { force: true })
    renameSync(`${file}.away`, file)
    const back = aStudent()
    equal((await service.postStudent(back)).status, 200)
    await service.settle()
    equal((await service.app.store.readLead(2))?.lead.email, back.email)
  })
