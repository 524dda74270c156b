import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { type AccountDirectory, createDirectory } from '../../src/accounts/directory.ts'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import { addressHash } from '../../src/leads/body/email.ts'
import { createLog } from '../../src/platform/log.ts'
import { onEachEngine } from '../support/engines.ts'
import { freePorts } from '../support/ports.ts'
import { startStore } from '../support/store.ts'
import { startLearningSite } from './learning-site.ts'

const BEN = 'ben@mail.example'
const addressSecret = 'a secret of the test'

type DirectoryOptions = {
  accounts: NonNullable<PartialSettings['accounts']>
  store?: Parameters<typeof createDirectory>[0]['store']
  accountsToken?: string
  timeLimit?: number
}

/** Longer than any look-up that succeeds takes, on however busy a machine. */
const LONG = 30_000

/** The directory that the settings name, and its log. */
function directoryOf({ accounts, store, accountsToken, timeLimit = LONG }: DirectoryOptions) {
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  const directory = createDirectory({
    settings: checkSettings({ accounts }).settings,
    accountsToken,
    store: store ?? { accountsAmong: () => Promise.reject(new Error('the table must not be asked')) },
    addressSecret,
    log,
    timeLimit,
  })
  return { directory: directory as AccountDirectory, logged: () => lines.join('') }
}

test('the setting none means that there is no directory', () => {
  equal(directoryOf({ accounts: { directory: 'none' } }).directory, undefined)
})

onEachEngine(engine => {
  describe('the table', () => {
    const accounts = { directory: 'table' } as const

    test('knows the imported addresses, in upper or lower case, and no others', async t => {
      const { store } = await startStore(t, { engine })
      const hashes = ['ben@mail.example', 'ana@mail.example'].map(email => addressHash(addressSecret, email))
      equal(await store.importAccounts(hashes, { replace: false }), 2)
      const { directory, logged } = directoryOf({ accounts, store })
      const has = (email: string) => directory.has(email)
      deepEqual(await Promise.all([BEN, 'BEN@Mail.example', 'eva@mail.example'].map(has)), [true, true, false])
      await store.importAccounts(hashes.slice(1), { replace: true })
      equal(await directory.has(BEN), false)
      deepEqual(
        await directory.among([BEN, 'Ana@mail.example', 'ana@mail.example']),
        new Set(['Ana@mail.example', 'ana@mail.example']),
      )
      equal(logged(), '')
    })
  })
})

describe('the table', () => {
  const accounts = { directory: 'table' } as const

  test('counts as empty while the database fails or does not respond, and logs that once', async () => {
    const { promise: never } = Promise.withResolvers<never>()
    let answer = () => Promise.reject(new Error('the server is away'))
    const { directory, logged } = directoryOf({ accounts, store: { accountsAmong: () => answer() }, timeLimit: 200 })
    deepEqual([await directory.has(BEN), await directory.has(BEN)], [false, false])
    equal(logged().match(/the server is away/g)?.length, 1)
    answer = () => never
    equal(await directory.has(BEN), false)
    match(logged(), /timed out after 200 ms/)
    doesNotMatch(logged(), /ben/i)
  })
})

describe('the learning site', () => {
  /** A learning site, and a directory that asks it. */
  async function startAsking(t: TestContext, options: Pick<DirectoryOptions, 'accountsToken' | 'timeLimit'> = {}) {
    const site = await startLearningSite(t, [BEN])
    const accounts = { directory: 'http', url: site.url } as const
    return { site, ...directoryOf({ accounts, ...options }) }
  }

  test('is asked by POST, with the address in the body and the token in a header', async t => {
    const { site, directory, logged } = await startAsking(t, { accountsToken: 'token-1' })
    deepEqual([await directory.has(BEN), await directory.has('eva@mail.example')], [true, false])
    const [first, second] = site.asked
    deepEqual(first?.body, { email: BEN })
    deepEqual(second?.body, { email: 'eva@mail.example' })
    equal(first?.path, '/accounts/look-up')
    equal(first?.headers.authorization, 'Bearer token-1')
    equal(first?.headers['content-type'], 'application/json')
    equal(first?.headers.accept, 'application/json')
    equal(logged(), '')
  })

  test('is asked without a token where there is none', async t => {
    const { site, directory } = await startAsking(t)
    await directory.has(BEN)
    equal(site.asked[0]?.headers.authorization, undefined)
  })

  test('is asked about at most ten addresses at once, and one that fails does not hide the others', async t => {
    const { site, directory } = await startAsking(t)
    let [now, most] = [0, 0]
    site.answer = async (response, { body }) => {
      most = Math.max(most, ++now)
      await new Promise(setImmediate)
      now--
      const { email } = body as { email: string }
      if (email.startsWith('broken')) response.writeHead(500).end()
      else response.end(JSON.stringify({ exists: email.startsWith('known') }))
    }
    const many = Array.from({ length: 30 }, (_, i) => `${['known', 'unknown', 'broken'][i % 3]}.${i}@mail.example`)
    const known = many.filter(email => email.startsWith('known'))
    deepEqual([...(await directory.among(many))].toSorted(), known.toSorted())
    ok(most > 1 && most <= 10, `${most} at once`)
  })

  const failures: Record<string, [reason: RegExp, (response: ServerResponse) => void]> = {
    'an error': [/status 500/, response => void response.writeHead(500).end('{"exists": true}')],
    'a redirect': [/status 307/, response => void response.writeHead(307, { Location: '/elsewhere' }).end()],
    'no JSON': [/was not/, response => void response.end(`no account for ${BEN}`)],
    'another word': [/was not/, response => void response.end(`{"exists": "yes", "of": "${BEN}"}`)],
    nothing: [/was not/, response => void response.end('null')],
    'too much': [/over 1024 bytes/, response => void response.end(`{"exists": true}${' '.repeat(1024)}`)],
    'a hang-up': [/UND_ERR_SOCKET/, response => void response.destroy()],
    silence: [/no complete response within 200 ms/, () => {}],
    'half a response': [/no complete response within 200 ms/, response => void response.write('{"exis')],
  }
  const hanging = ['silence', 'half a response']
  for (const [name, [reason, answer]] of Object.entries(failures)) {
    test(`that responds with ${name} costs no lead, and the log says why`, async t => {
      const timeLimit = hanging.includes(name) ? 200 : LONG
      const { site, directory, logged } = await startAsking(t, { accountsToken: 'token-1', timeLimit })
      site.answer = answer
      equal(await directory.has(BEN), false)
      match(logged(), reason)
      doesNotMatch(logged(), /ben@|token-1/)
      equal(site.asked.length, 1)
    })
  }

  test('that is down costs no lead', async () => {
    const [port] = await freePorts(1)
    const accounts = { directory: 'http', url: `http://127.0.0.1:${port}/` } as const
    const { directory, logged } = directoryOf({ accounts })
    equal(await directory.has(BEN), false)
    match(logged(), /ECONNREFUSED/)
  })

  test('gets at most twenty look-ups at once; the others do not wait', async t => {
    const { site, directory, logged } = await startAsking(t)
    const waiting: ServerResponse[] = []
    const all = Promise.withResolvers<void>()
    site.answer = response => {
      waiting.push(response)
      if (waiting.length === 20) all.resolve()
    }
    const first = Array.from({ length: 20 }, () => directory.has(BEN))
    const later = await Promise.all([directory.has(BEN), directory.has(BEN)])
    deepEqual(later, [false, false])
    equal(logged().match(/20 lookups are already under way/g)?.length, 1)
    await all.promise
    for (const response of waiting) response.end('{"exists": true}')
    deepEqual(new Set(await Promise.all(first)), new Set([true]))
    equal(site.asked.length, 20)
  })

  test('is not asked after five failures in a row, until a probe succeeds 30 seconds later', async t => {
    t.mock.timers.enable({ apis: ['Date'], now: 0 })
    const { site, directory, logged } = await startAsking(t)
    const well = site.answer
    const fail = (response: ServerResponse) => void response.writeHead(503).end()
    const ask = async (times: number) => {
      for (let i = 0; i < times; i++) equal(await directory.has(BEN), false)
      return site.asked.length
    }
    site.answer = fail
    equal(await ask(4), 4)
    site.answer = well
    equal(await directory.has(BEN), true)
    site.answer = fail
    equal(await ask(20), 10)
    equal(logged().match(/only every 30 seconds/g)?.length, 1)

    t.mock.timers.tick(29_999)
    equal(await ask(3), 10)
    t.mock.timers.tick(1)
    equal(await ask(3), 11)
    t.mock.timers.tick(30_000)

    const asked = Promise.withResolvers<ServerResponse>()
    site.answer = response => asked.resolve(response)
    const probe = directory.has(BEN)
    const response = await asked.promise
    equal(await ask(3), 12)
    response.end('{"exists": true}')
    equal(await probe, true)
    site.answer = well
    equal(await directory.has(BEN), true)
    equal(site.asked.length, 13)
    ok(logged().includes('responds again'))
    equal(logged().match(/only every 30 seconds/g)?.length, 1)
    equal(logged().match(/status 503/g)?.length, 2)
    doesNotMatch(logged(), /ben/)
  })
})
