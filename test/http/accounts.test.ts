/** What a person with an account at the learning site learns, and what no one else can find out. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { addressHash } from '../../src/leads/body/email.ts'
import { startLearningSite } from '../accounts/learning-site.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'

const KNOWN = 'known@mail.example'
const UNKNOWN = 'unknown@mail.example'

type Feedback = 'reveal' | 'conceal'

/** A service with a table of accounts. */
async function startWithTable(
  t: TestContext,
  { engine, feedback, known }: { engine: Engine; feedback: Feedback; known: string[] },
) {
  const accounts = { directory: 'table', feedback } as const
  const service = await startApp(t, { engine, settings: { accounts } })
  await setTable(service, known)
  return service
}

async function setTable({ app: { store } }: TestApp, known: string[]) {
  const secret = await store.getOrCreateSecret('addresses', 'kept by the service')
  const hashes = known.map(email => addressHash(secret, email))
  await store.importAccounts(hashes, { replace: true })
}

const subjectsTo = ({ sent }: TestApp, email: string) =>
  sent.filter(({ to }) => to.address === email).map(({ subject }) => subject)

onEachEngine(engine => {
  describe('where the response reveals an account', () => {
    const start = (t: TestContext, known = [KNOWN]) => startWithTable(t, { engine, feedback: 'reveal', known })

    test('a person who has one is told to sign in, and the inquiry still reaches admissions', async t => {
      const service = await start(t)
      const response = await service.postStudent(aStudent({ email: 'Known@Mail.example' }))
      equal(response.status, 409)
      deepEqual(Object.keys(response.body as object), ['error'])
      match(response.text, /Sign in at http:\/\/localhost:3001\b/)
      match(response.text, /has reached admissions/)
      equal(response.headers.get('idempotent-replayed'), null)
      equal(response.headers.get('cache-control'), 'no-store')
      await service.settle()
      const [lead] = await service.app.store.listLeads({ limit: 10 })
      equal(lead?.email, 'Known@mail.example')
      equal(lead?.account, true)
      deepEqual(
        service.sent.map(({ to }) => to.address),
        ['admissions@localhost'],
      )
    })

    test('an email tells it to a person whose inquiry came during a lockout and was released', async t => {
      const tagged = ['a', 'b', 'c', 'd', 'e'].map(tag => KNOWN.replace('@', `+${tag}@`))
      const service = await start(t, [KNOWN, ...tagged])
      for (const email of tagged) await service.postStudent(aStudent({ email }))
      const { status } = await service.postStudent(aStudent({ email: KNOWN, message: 'Hello' }))
      equal(status, 429)
      await service.settle()
      const { store } = service.app
      const [kept] = await store.listQuarantine({ state: 'held', limit: 9 })
      await store.releaseQuarantined(kept?.submission.id ?? 0, { now: service.clock.now() })
      await service.settle()
      const leads = await store.listLeads({ limit: 10 })
      equal(leads.find(({ email }) => email === KNOWN)?.account, true)
      const told = service.sent.filter(({ to }) => to.address === KNOWN)
      equal(told.length, 1)
      match(told[0]?.text ?? '', /sign in/i)
    })

    test('a person who has none gets the usual response', async t => {
      const service = await start(t)
      const response = await service.postStudent(aStudent({ email: UNKNOWN }))
      deepEqual([response.status, response.body], [200, { success: true }])
      await service.settle()
      const [lead] = await service.app.store.listLeads({ limit: 10 })
      equal(lead?.account, false)
      equal(subjectsTo(service, UNKNOWN).length, 1)
    })

    test('a replay gets the response of the first time, whatever the directory says by then', async t => {
      const service = await start(t)
      const bodies = [aStudent({ email: KNOWN }), aStudent({ email: UNKNOWN })]
      const first = await Promise.all(bodies.map(body => service.postStudent(body)))
      await setTable(service, [UNKNOWN])
      const again = await Promise.all(bodies.map(body => service.postStudent(body)))
      deepEqual(
        first.map(({ status }) => status),
        [409, 200],
      )
      deepEqual(
        again.map(({ status, text, headers }) => [status, text, headers.get('idempotent-replayed')]),
        first.map(({ status, text }) => [status, text, 'true']),
      )
      await service.settle()
      equal((await service.app.store.listLeads({ limit: 10 })).length, 2)
    })

    test('twenty requests at once with one key get the same response, and one is stored', async t => {
      const service = await start(t)
      const body = aStudent({ email: KNOWN })
      const responses = await Promise.all(Array.from({ length: 20 }, () => service.postStudent(body)))
      deepEqual(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size, 1)
      equal(responses[0]?.status, 409)
      equal(responses.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1)
    })

    test('a wrong body and a reused key are reported first, and the lockout counts alike', async t => {
      const service = await start(t)
      const wrong = await service.postStudent(aStudent({ email: KNOWN, phone: '1' }))
      equal(wrong.status, 400)
      for (const [email, status] of [
        [KNOWN, 409],
        [UNKNOWN, 200],
      ] as const) {
        const body = aStudent({ email })
        equal((await service.postStudent(body)).status, status)
        equal((await service.postStudent({ ...body, city: 'Waco' })).status, 422)
        for (let i = 1; i < 5; i++) {
          equal((await service.postStudent(aStudent({ email }))).status, status)
        }
        const locked = await service.postStudent(aStudent({ email }))
        deepEqual([locked.status, locked.headers.get('retry-after')], [429, '900'])
      }
    })
  })

  describe('where the response conceals an account', () => {
    const ROUNDS = 20
    /** Longer than any answer takes, so that one that waits for it stands out. */
    const SLOW = 300
    const knownOnes = Array.from({ length: ROUNDS }, (_, i) => `known.${i}@mail.example`)

    /** The table, slow to tell of those it knows. */
    async function startWithSlowTable(t: TestContext) {
      const known = [KNOWN, ...knownOnes]
      const service = await startWithTable(t, { engine, feedback: 'conceal', known })
      const { store } = service.app
      const { accountsAmong } = store
      let asked = 0
      t.mock.method(store, 'accountsAmong', async (hashes: readonly string[]) => {
        asked++
        const found = await accountsAmong(hashes)
        if (found.size > 0) await wait(SLOW)
        return found
      })
      return { service, asked: () => asked }
    }

    /** The learning site, slow to tell of those it knows. */
    async function startWithSlowSite(t: TestContext) {
      const site = await startLearningSite(t)
      site.answer = async (response, { body }) => {
        const { email } = body as { email: string }
        const exists = email.startsWith('known')
        if (exists) await wait(SLOW)
        response.end(JSON.stringify({ exists }))
      }
      const accounts = { directory: 'http', url: site.url, feedback: 'conceal' } as const
      const service = await startApp(t, { engine, settings: { accounts } })
      return { service, asked: () => site.asked.length }
    }

    const directories = { 'the table': startWithSlowTable, 'the learning site': startWithSlowSite }
    for (const [name, start] of Object.entries(directories)) {
      test(`known and unknown addresses cannot be told apart, neither by the response nor by its time (${name})`, async t => {
        const { service, asked } = await start(t)
        deepEqual(await conversation(service, KNOWN), await conversation(service, UNKNOWN))

        const times = { known: [] as number[], unknown: [] as number[] }
        for (const [i, known] of knownOnes.entries()) {
          const pair = [
            ['known', known],
            ['unknown', `unknown.${i}@mail.example`],
          ] as const
          for (const [kind, email] of i % 2 ? pair : pair.toReversed()) {
            const begun = performance.now()
            equal((await service.postStudent(aStudent({ email }))).status, 200)
            times[kind].push(performance.now() - begun)
          }
        }
        const apart = Math.abs(median(times.known) - median(times.unknown))
        ok(apart < SLOW / 3, `the medians are ${apart} ms apart`)
        // No directory is asked before the response, so its time reveals nothing.
        equal(asked(), 0)
      })
    }

    test('the owner of the mailbox gets an email about the account in place of a receipt', async t => {
      const known = [KNOWN]
      const service = await startWithTable(t, { engine, feedback: 'conceal', known })
      for (const email of [KNOWN, UNKNOWN]) await service.postStudent(aStudent({ email }))
      await service.settle()
      const [subject, ...more] = subjectsTo(service, KNOWN)
      match(subject ?? '', /^You already have an account/)
      deepEqual(more, [])
      const [receipt, ...others] = subjectsTo(service, UNKNOWN)
      doesNotMatch(receipt ?? '', /account/)
      deepEqual(others, [])
      equal(subjectsTo(service, 'admissions@localhost').length, 2)
      const leads = await service.app.store.listLeads({ limit: 10 })
      deepEqual(
        leads.map(({ email, account }) => [email, account]),
        [
          [UNKNOWN, false],
          [KNOWN, true],
        ],
      )
    })
  })

  test('a learning site that is away costs no lead, whatever the response would reveal', async t => {
    for (const feedback of ['reveal', 'conceal'] as const) {
      const site = await startLearningSite(t, [KNOWN])
      site.answer = response => void response.destroy()
      const accounts = { directory: 'http', url: site.url, feedback } as const
      const service = await startApp(t, { engine, settings: { accounts } })
      equal((await service.postStudent(aStudent({ email: KNOWN }))).status, 200)
      await service.settle()
      equal(site.asked.length, 1)
      const [lead] = await service.app.store.listLeads({ limit: 10 })
      deepEqual([lead?.email, lead?.account], [KNOWN, false])
      equal(subjectsTo(service, KNOWN).length, 1)
      doesNotMatch(service.log.join(''), /known@/)
    }
  })
})

/** Every response that a person who tries an address can get: at first, at a replay, with another body, locked out. */
async function conversation(service: TestApp, email: string) {
  const body = { ...aStudent(), email, idempotencyKey: `the key of ${email}` }
  const sent = [body, body, { ...body, city: 'Waco' }, { ...body, phone: '1' }]
  const further = Array.from({ length: 5 }, () => aStudent({ email }))
  const responses: unknown[] = []
  for (const one of [...sent, ...further, body]) {
    const { status, text, headers } = await service.postStudent(one)
    responses.push({ status, text, headers: [...headers].filter(([name]) => name !== 'date') })
  }
  return responses
}

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
