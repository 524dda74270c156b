/** An inquiry that was accepted and cannot be filed: who sees it, and what they do with it. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { withoutFollowUp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { type ConsoleClient, startConsole, type TestConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { asked } from '../support/store.ts'

const PAGE = '/quarantine?state=unfiled'
const BEN = 'ben@mail.example'

/** Attempts pass until it is clear that what is broken stays broken. */
async function tryInVain({ clock, settle }: TestConsole): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await settle()
    clock.advance(5 * MINUTE)
  }
}

/** Ben has written, and his inquiry cannot be filed; a manager is signed in. `mend` repairs it. */
async function aService(t: TestContext, engine: Engine, { unreadable = false } = {}) {
  const service = await startConsole(t, { engine, settings: withoutFollowUp })
  const { database, postStudent } = service
  const manager = await service.client('manager')
  await postStudent(aStudent({ firstName: 'Ben', lastName: 'Okafor', email: BEN, message: 'Do you have evenings?' }))
  const [row] = await sql(database, 'select body from submissions')
  const body = String(row?.['body'])
  const setBody = (to: string) => sql(database, `update submissions set body = '${to.replaceAll("'", "''")}'`)
  await setBody(unreadable ? body.slice(0, -5) : JSON.stringify({ ...JSON.parse(body), email: 5 }))
  await tryInVain(service)
  return { ...service, manager, mend: () => setBody(body) }
}

const listed = async (client: ConsoleClient) => readable((await client.get(PAGE)).text)

const EMPTY = /Every inquiry is filed/

onEachEngine(engine => {
  describe('an inquiry that cannot be filed', () => {
    test('is on a page with what was sent and why, in the menu, in a banner and in /readyz', async t => {
      const { manager, client, request, origin } = await aService(t, engine)
      const page = await listed(manager)
      match(page, /Ben Okafor/)
      match(page, /Do you have evenings\?/)
      match(page, /filing failed: \S.*is not a function/)
      match(page, /\d attempts\. The next one is/)
      match(
        (await manager.get('/inbox')).text,
        /An inquiry cannot be filed\.<\/strong>.*href="\/quarantine\?state=unfiled"/,
      )
      equal(JSON.parse((await manager.get('/today/count')).text).quarantined, '1')
      const { warnings } = (await request(`${origin.console}/readyz`)).body as { warnings: string[] }
      match(
        warnings[0] ?? '',
        /^An inquiry cannot be filed\. We could not make a lead from it, and have not notified anyone\./,
      )
      const counselor = await client('counselor')
      equal((await counselor.get(PAGE)).status, 403)
      equal((await counselor.post('/quarantine/unfiled', { id: '1', do: 'again' })).status, 403)
    })

    test('is not there while it may still be chance', async t => {
      const { manager, database } = await aService(t, engine)
      await sql(database, `update tasks set attempts = 2 where kind = 'refile'`)
      match(await listed(manager), EMPTY)
    })

    test('shows what was sent as it is, if no one can read it', async t => {
      const { manager } = await aService(t, engine, { unreadable: true })
      const page = await listed(manager)
      match(page, /Inquiry 1\b/)
      match(page, /"firstName":"Ben"/)
      match(page, /The body of submission 1 is not JSON/)
    })

    test('is tried again at once, and stays if it fails again', async t => {
      const { manager, settle, mend, app, sent } = await aService(t, engine)
      match((await manager.post('/quarantine/unfiled', { id: '1', do: 'again' })).text, /We are trying again now\./)
      await settle()
      match(await listed(manager), /Ben Okafor/)
      await mend()
      await manager.post('/quarantine/unfiled', { id: '1', do: 'again' })
      await settle()
      match(await listed(manager), EMPTY)
      equal((await app.store.listLeads({ limit: 10 }))[0]?.email, BEN)
      equal(sent.filter(({ id }) => id.startsWith('notify')).length, 1)
      match((await manager.post('/quarantine/unfiled', { id: '1', do: 'again' })).text, /Nothing changed/)
      equal((await app.store.countBacklog(0)).unfileable, 0)
    })

    test('can be added by hand, from what was sent, and is then dismissed', async t => {
      const { manager, settle, app, database } = await aService(t, engine)
      const form = (await manager.get('/leads/add?kind=student&unfiled=1')).text
      match(form, /value="Okafor"/)
      match(form, /Do you have evenings\?/)
      const fields = { kind: 'student', unfiled: '1', firstName: 'Ben', lastName: 'Okafor', email: BEN, once: 'a form' }
      equal((await manager.post('/leads/add', fields)).status, 200)
      await settle()
      const leads = await app.store.listLeads({ limit: 10 })
      deepEqual(
        leads.map(({ email }) => email),
        [BEN],
      )
      const page = await listed(manager)
      match(page, EMPTY)
      match(page, /Dismissed.*Do you have evenings\?.*Added by hand \(The manager\)/s)
      deepEqual(
        (await sql(database, `select action, detail from audit_log where action like 'dismissed an%'`)).map(
          row => row['detail'],
        ),
        ['1: added by hand'],
      )
    })

    test('is dismissed for a reason, is then not tried again by itself, and can be filed after all', async t => {
      const { manager, settle, clock, mend, app } = await aService(t, engine)
      const dismiss = (reason: string) => manager.post('/quarantine/unfiled', { id: '1', do: 'dismiss', reason })
      const without = await dismiss('')
      equal(without.status, 422)
      match(without.text, /Choose why it is dismissed\./)
      equal((await dismiss('because')).status, 422)
      match((await dismiss('called')).text, /Dismissed\./)
      match((await dismiss('called')).text, /Nothing changed/)
      await mend()
      clock.advance(10 * HOUR)
      await settle()
      deepEqual(await app.store.listLeads({ limit: 10 }), [])
      const { unfiled, unfileable } = await app.store.countBacklog(clock.now())
      deepEqual({ unfiled, unfileable }, { unfiled: 0, unfileable: 0 })
      doesNotMatch((await manager.get('/inbox')).text, /cannot be filed/)
      match(await listed(manager), /They were called, and need nothing \(The manager\)/)
      await manager.post('/quarantine/unfiled', { id: '1', do: 'again' })
      await settle()
      equal((await app.store.listLeads({ limit: 10 })).length, 1)
    })

    test('changes with its audit entry or not at all, and not while it is being filed', async t => {
      const { manager, database, app, clock } = await aService(t, engine)
      const task = () => sql(database, `select state, due_at, note from tasks where kind = 'refile'`)
      const before = await task()
      const press = (fields: Record<string, string>) => manager.post('/quarantine/unfiled', { id: '1', ...fields })
      await sql(database, 'alter table audit_log rename to lost_log')
      equal((await press({ do: 'dismiss', reason: 'spam' })).status, 500)
      equal((await press({ do: 'again' })).status, 500)
      await sql(database, 'alter table lost_log rename to audit_log')
      deepEqual(await task(), before)
      clock.advance(HOUR)
      const claim = { lane: 'filing', now: clock.now(), token: 'A', limit: 1 } as const
      equal((await app.store.claimTasks(claim)).length, 1)
      match((await press({ do: 'dismiss', reason: 'spam' })).text, /Nothing changed/)
      match((await press({ do: 'again' })).text, /Nothing changed/)
    })

    test('goes with the person who is erased, dismissed or not, and unreadable ones keep no one from being erased', async t => {
      const { manager, app, database, clock, postStudent } = await aService(t, engine)
      await manager.post('/quarantine/unfiled', { id: '1', do: 'dismiss', reason: 'spam' })
      await postStudent(aStudent({ email: 'other@mail.example' }))
      await sql(database, `update submissions set body = '{', email = null where id = 2`)
      const erased = await app.store.erasePerson(BEN, { ...asked, addressHash: undefined, now: clock.now() })
      equal(erased.submissions, 1)
      deepEqual(
        (await sql(database, 'select id from submissions')).map(row => Number(row['id'])),
        [2],
      )
      deepEqual(
        (await sql(database, `select note from tasks where kind = 'refile'`)).map(row => row['note']),
        ['the lead was erased'],
      )
    })
  })
})
