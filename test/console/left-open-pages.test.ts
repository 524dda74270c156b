/** A page that someone left open, while another person has signed in in that browser: nothing of it acts as the other. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { startBrowser } from '../support/browser.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, signInAgain, startConsole } from '../support/console.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const PASSWORD = 'correct horse battery'
const maria = { email: 'maria@school.example', name: 'Maria Example' }
const dana = { email: 'dana@school.example', name: 'Dana Kim' }
const NOTE = 'She prefers mornings, as she said on the phone.'

/** Ben has written; Maria has left a page open, and Dana is signed in in the same browser. */
async function aDesk(t: TestContext) {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  const { store } = service.app
  await service.postStudent(ben())
  await service.settle()
  const password = await hashPassword(PASSWORD)
  const person = async (role: 'counselor' | 'manager', who: typeof maria) => {
    const client = await service.client(role, who)
    await store.setPassword(client.operator, { password, now: service.clock.now() })
    await signInAgain({ store, clock: service.clock }, client)
    return client
  }
  const hers = await person('counselor', maria)
  const others = await person('manager', dana)
  const left = (await hers.get('/leads/1')).text
  const notes = async () => (await store.readLead(1))?.timeline.filter(({ kind }) => kind === 'note')
  return { ...service, store, hers, others, left: { pageOf: fieldOn(left, 'pageOf') }, notes }
}

test('a form of a page that someone else has opened changes nothing, and is sent once that person has signed in again', async t => {
  const { others, left, notes } = await aDesk(t)
  const note = { ...left, do: 'note', note: NOTE }
  const refused = await others.post('/leads/1', note)
  equal(refused.status, 422)
  match(refused.text, /Nothing was changed: Dana Kim has signed in on this browser since this page was opened/)
  match(refused.text, /<a href="\/">Go on as Dana Kim/)
  equal((await notes())?.length, 0)

  const resume = fieldOn(refused.text, 'resume')
  const asDana = await others.post('/sign-in', { email: dana.email, password: PASSWORD, resume })
  doesNotMatch(asDana.text, /prefers mornings|Send it now/)
  equal(asDana.path, '/inbox')
  const asMaria = await others.post('/sign-in', { email: maria.email, password: PASSWORD, resume })
  match(asMaria.text, /prefers mornings.*Send it now/s)
  await others.post('/leads/1', new URLSearchParams(JSON.parse(resume).fields))
  deepEqual(
    (await notes())?.map(({ actor, detail }) => [actor, detail]),
    [['maria', NOTE]],
  )
})

test('the script of such a page hears that its person is signed out, saves no draft as the other, and shows nothing of theirs', async t => {
  const { hers, others, left, store } = await aDesk(t)
  const saved = await others.post('/leads/1/note/draft', { ...left, note: NOTE }, { 'x-part': 'draft' })
  equal(saved.status, 401)
  deepEqual(await store.readDrafts(1), [])
  const signedOut = await others.post('/sign-out', left)
  match(signedOut.text, /Nothing was changed/)
  for (const [client, status] of [
    [others, 303],
    [hers, 200],
  ] as const)
    for (const path of ['/today/count', '/leads/1'])
      equal(
        (await client.fetch(path, { headers: { 'x-page-of': left.pageOf, 'x-part': 'lead' } })).status,
        status,
        path,
      )
})

test('every form of a page says whose page it is', async t => {
  const { others } = await aDesk(t)
  for (const path of ['/inbox', '/leads/1', '/leads/1/write', '/account', '/cadence/edit', '/team', '/board'])
    for (const [, start = '', next = ''] of (await others.get(path)).text.matchAll(/(<form\b[^>]*>)\s*(<[^>]*>)/g))
      if (start.includes('method="post"'))
        equal(next, `<input type="hidden" name="pageOf" value="${others.operator}">`, `${path}: ${start}`)
})

const browser = await startBrowser({ after })

test('a tab that was left open says that its person is signed out, and keeps what they typed for them', async t => {
  const { hers, others, origin, store } = await aDesk(t)
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  t.after(() => context.close())
  const signIn = (token = '') => context.addCookies([{ name: 'session', value: token, url: origin.console }])
  await signIn(hers.cookies.get('session'))
  const page = await context.newPage()
  await page.goto(`${origin.console}/leads/1`)
  await signIn(others.cookies.get('session'))
  await page.getByLabel('Note').pressSequentially(NOTE)
  await page.getByRole('alert').filter({ hasText: 'You are signed out.' }).waitFor()
  deepEqual(await store.readDrafts(1), [])
  const tab = await context.newPage()
  await tab.goto(`${origin.console}/leads/1`)
  equal(await tab.getByLabel('Note').inputValue(), '')
  await signIn(hers.cookies.get('session'))
  await page.reload()
  await page.getByText('Draft kept').waitFor()
  equal(await page.getByLabel('Note').inputValue(), NOTE)
})
