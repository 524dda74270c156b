/** How often a page asks the store: what belongs together in one go, and nothing twice. */
import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MINUTE } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { type Counted, countCalls } from '../support/counted-store.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

/** The most that a page asks, with the session, the audit log and what the banner about mail says. */
const BOUNDS: Record<string, number> = {
  '/leads/1': 6,
  '/leads/1?entries=3': 5,
  '/leads/1/write': 8,
  '/leads/1/correct': 7,
  '/leads/1/merge': 4,
  '/leads/1/merge?with=3': 11,
  '/leads/add': 5,
  '/inbox': 6,
  '/inbox?q=ben&stage=any': 6,
  '/board': 5,
  '/board?kind=site': 5,
  '/today': 6,
  '/tags': 4,
  '/quarantine': 4,
  '/insight': 6,
  '/insight?by=source': 6,
  '/report': 6,
  '/import': 3,
  '/export': 3,
  '/export/nightly': 5,
  '/team': 8,
  '/team/absences': 6,
  '/team/versions': 4,
  '/team/people/maria': 4,
  '/team/people/maria/hand-over': 7,
  '/hours': 4,
  '/programs': 4,
  '/brand': 4,
  '/consent': 4,
  '/forms': 5,
  '/answers': 4,
  '/emails': 4,
  '/emails/edit': 3,
  '/cadence': 5,
  '/cadence/edit?kind=student': 4,
  '/delivery': 4,
  '/delivery/:receipt': 6,
  '/delivery/:receipt/email': 6,
  '/destinations': 4,
  '/sources': 4,
  '/costs': 6,
  '/tokens': 5,
  '/privacy': 5,
  '/privacy?q=ben@mail.example': 5,
  '/settings': 2,
  '/operators': 4,
  '/operators/2/disable': 10,
  '/audit': 4,
  '/account': 5,
  '/account/notifications': 6,
  '/account/absences': 3,
}

/** What the page about two leads asks for each of them. */
const OF_EACH_LEAD = ['findLead', 'readSuppression']

/** Ben has written twice, under two addresses, and a site once. */
async function aService(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY), engine })
  await service.postStudent(ben({ message: 'How long is the course?' }))
  await service.postSite(aSite())
  await service.settle()
  await service.postStudent(ben({ email: 'ben.okafor@mail.example', idempotencyKey: 'the second inquiry' }))
  await service.settle()
  service.clock.advance(10 * MINUTE)
  await service.settle()
  return service
}

/** What is wrong with the calls of a request: more than `most`, or the same twice. */
function wrongWith({ path, asked }: Counted, most: number): string[] {
  const again = asked.filter((name, index) => asked.indexOf(name) !== index && !OF_EACH_LEAD.includes(name))
  return asked.length <= most && again.length === 0 ? [] : [`${path}: ${asked.join(', ')}`]
}

onEachEngine(engine => {
  test('a page of the console asks the store for all that it shows in few calls', async t => {
    const service = await aService(t, engine)
    const admin = await service.client('admin')
    const counselor = await service.client('counselor', { email: 'maria@school.example' })
    const sent = await service.app.store.listDelivery({ state: 'sent', limit: 9 })
    const receipt = sent.find(({ task }) => task.kind === 'receipt')?.task.id
    const requests = countCalls(t, service.app.store)
    await admin.get('/inbox')
    const wrong: string[] = []
    for (const [path, most] of Object.entries(BOUNDS))
      for (const client of [admin, counselor]) {
        // By then, what the banner about mail says is read again.
        service.clock.advance(MINUTE)
        const { status } = await client.get(path.replace(':receipt', `${receipt}`))
        if (client === admin) equal(status, 200, path)
        const last = requests.at(-1)
        wrong.push(...(last === undefined ? [] : wrongWith(last, most)))
      }
    deepEqual(wrong, [])
  })

  test('a live page that is read again asks for little, and is not in the audit log again', async t => {
    const service = await aService(t, engine)
    const admin = await service.client('admin')
    await admin.get('/inbox')
    const requests = countCalls(t, service.app.store)
    const asked: string[][] = []
    for (const [path, part] of [
      ['/leads/1', 'lead'],
      ['/inbox', 'list'],
      ['/today', 'list'],
      ['/board', 'list'],
    ] as const) {
      equal((await admin.get(path, { 'x-part': part })).status, 200)
      asked.push(requests.at(-1)?.asked ?? [])
    }
    deepEqual(asked, [
      ['readSession', 'readLeadPage', 'readSuppression', 'likelySamePerson'],
      ['readSession', 'readInboxPage', 'suppressedAmong'],
      ['readSession', 'listDueLeads', 'readInboxRows', 'suppressedAmong'],
      ['readSession', 'readBoard', 'suppressedAmong'],
    ])
  })

  test('a page behind a link in an email does so, too', async t => {
    const service = await aService(t, engine)
    const requests = countCalls(t, service.app.store)
    const urls = new Set(service.sent.flatMap(({ text }) => text.match(/http:[^\s>]*\/(?:act|mail)\/[^\s>]*/g) ?? []))
    const seen = new Map<string, string[]>()
    for (const url of urls) {
      const { pathname } = new URL(url)
      const [, kind = '', page = ''] = /^\/(act|mail)\/([a-z])/.exec(pathname) ?? []
      const origin = kind === 'act' ? service.origin.console : service.origin.learn
      equal((await service.request(`${origin}${pathname}`)).status, 200, pathname)
      seen.set(`${kind} ${page}`, requests.at(-1)?.asked ?? [])
    }
    // First, whether it is still that lead, and whether the person follows it up.
    const about = ['findExactLead', 'findLead', 'findLead', 'readLatestEntry', 'readUndoable']
    deepEqual(Object.fromEntries([...seen].toSorted()), {
      'act a': [...about, 'listAbsences'],
      'act c': about,
      'act n': about,
      'act o': ['findExactLead', 'findLead', 'readLinkedLead', 'readSuppression'],
      'act t': about,
      'mail n': ['findLead'],
      'mail u': ['findLead'],
    })
  })
})
