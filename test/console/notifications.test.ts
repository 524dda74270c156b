/** How operators learn of what concerns them: by email at once, in their browser, or once a day. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import type { Message } from '../../src/mail/transport/mailer.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { isPushService, newPushKey, publicKeyOf, wakeBrowser } from '../../src/push/web-push.ts'
import type { NoticeWay } from '../../src/store/operators/browser-notices.ts'
import { isQuiet } from '../../src/tasks/browser-notices.ts'
import { withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { until } from '../support/process.ts'
import { startPushService } from '../support/push-service.ts'

const PATH = '/account/notifications'
const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }
const sam = { id: 'sam', name: 'Sam Ortiz', email: 'sam@school.example' }

/** The service with Maria, who has a browser and chooses `email`, on a Monday at 10:00 in New York. */
async function aService(
  t: TestContext,
  {
    email,
    engine,
    browser = true,
    mail,
    counselors = [maria],
  }: {
    email?: NoticeWay
    engine?: 'sqlite' | 'postgres'
    browser?: boolean
    mail?: (message: Message) => Promise<void>
    counselors?: (typeof maria)[]
  },
) {
  const service = await startConsole(t, {
    settings: { ...withoutFollowUp, admissions: { counselors } },
    clock: testClock(Date.parse('2026-11-23T15:00:00Z')),
    ...(engine && { engine }),
    ...(mail && { mail }),
  })
  const { store } = service.app
  const push = await startPushService(t)
  const hers = await service.client('counselor', maria)
  const now = service.clock.now()
  if (browser) await store.addPushSubscription(hers.operator, { endpoint: push.url, browser: 'Firefox', now })
  const choose = (way: NoticeWay, more: Record<string, string> = {}) =>
    hers.post(PATH, { email: way, quietFrom: '20', quietTo: '8', ...more })
  if (email) equal((await choose(email)).status, 200)
  return { ...service, store, push, hers, choose }
}

/** A mail server that is away. */
const failing = async () => {
  throw new Error('421 try later')
}

const inquire = async (service: TestConsole, name = 'Ana') => {
  await service.postStudent(aStudent({ firstName: name, email: `${name.toLowerCase()}@mail.example` }))
  await service.settle()
}

const toMaria = ({ sent }: TestConsole) => sent.filter(({ to }) => to.address === maria.email)

onEachEngine(engine => {
  describe('a counselor who has chosen', () => {
    test('one email a day gets no other about new leads, and one with all of them in the morning', async t => {
      const service = await aService(t, { engine, email: 'daily', browser: false })
      await inquire(service, 'Ana')
      service.clock.advance(HOUR)
      await inquire(service, 'Ben')
      equal(toMaria(service).length, 0)
      service.clock.advance(21 * HOUR)
      await service.settle()
      equal(toMaria(service).length, 0)
      service.clock.advance(HOUR)
      await service.settle()
      const [digest, ...others] = toMaria(service)
      equal(others.length, 0)
      match(digest?.subject ?? '', /^New student inquiry: Ana .* · New student inquiry: Ben /)
      match(digest?.text ?? '', /^\w+day, November 2\d\n=+\n\nNew student inquiry: Ana /)
      for (const part of ['Ana', 'Ben', '/leads/1', '/leads/2']) ok(digest?.text.includes(part), part)
      for (const link of ['tel:+15125550199', 'mailto:ana@mail.example'])
        ok(digest?.html.includes(`href="${link}"`), link)
      match(digest?.text ?? '', /^“Are there evening classes\?”\n\(512\) 555-0199, ana@mail\.example$/m)
      match(digest?.text ?? '', /See what is due today \(2\)/)
      match(digest?.html ?? '', /href="[^"]+\/account\/notifications"/)

      // What comes later is in the next one, and nothing twice.
      await inquire(service, 'Cem')
      service.clock.advance(DAY)
      await service.settle()
      const next = toMaria(service)[1]?.text ?? ''
      match(next, /Cem/)
      doesNotMatch(next, /Ana|Ben/)
      service.clock.advance(3 * DAY)
      await service.settle()
      equal(toMaria(service).length, 2)
    })

    test('one email a day reads what someone wrote only while they follow up', async t => {
      const counselors = [maria, sam]
      const service = await aService(t, { engine, email: 'daily', browser: false, counselors })
      await inquire(service)
      equal((await service.store.findExactLead(1))?.owner, 'maria')
      await service.hers.post('/leads/1', { do: 'assign', counselor: 'sam' })
      await service.settle()
      service.clock.advance(DAY)
      await service.settle()
      const [digest] = toMaria(service)
      match(digest?.text ?? '', /New student inquiry: Ana Okafor/)
      doesNotMatch(digest?.text ?? '', /evening classes|555-0199|ana@/)
    })

    test('one email a day gets none while they are disabled, and what waits with what comes afterward', async t => {
      const service = await aService(t, { engine, email: 'daily', browser: false })
      await inquire(service, 'Ana')
      const audit = { at: 0, operatorId: null, actor: 'jo', action: 'disabled an operator' } as const
      await service.store.disableOperator(service.hers.operator, { now: service.clock.now(), audit })
      service.clock.advance(2 * DAY)
      await service.settle()
      equal(toMaria(service).length, 0)
      equal((await sql(service.database, "select id from tasks where kind = 'daily'")).length, 1)
      await service.store.enableOperator(service.hers.operator)
      await inquire(service, 'Ben')
      service.clock.advance(DAY)
      await service.settle()
      const [digest, ...others] = toMaria(service)
      deepEqual([others.length, /Ana/.test(digest?.text ?? ''), /Ben/.test(digest?.text ?? '')], [0, true, true])
    })

    test('one email a day gets what someone writes again at once, whatever the stage of their lead', async t => {
      const service = await aService(t, { engine, email: 'daily', browser: false })
      const { store, clock } = service
      await inquire(service)
      for (const [uid, stage] of ['contacted', 'qualified', 'applied'].entries()) {
        const by = { actor: 'maria', now: clock.now() }
        equal((await store.changeStage(1, { stage, closedReason: null, ...by })).outcome, 'done')
        clock.advance(MINUTE)
        await inquire(service)
        equal(toMaria(service).length, 2 * uid + 1, `a further inquiry of someone who is ${stage}`)
        clock.advance(MINUTE)
        const event = { kind: 'reply', detail: 'Can my sister come, too?', tell: true } as const
        const mailbox = { mailbox: 'desk', uidValidity: '1' }
        await store.setMailboxPosition('desk', { uidValidity: '1', lastUid: uid, lastArrival: 0 })
        await store.recordInbound(
          { ...mailbox, uid: uid + 1, effect: { leadId: 1, event, suppression: null } },
          clock.now(),
        )
        await service.settle()
        equal(toMaria(service).length, 2 * uid + 2, `a reply of someone who is ${stage}`)
      }
    })

    for (const [clocks, ahead] of [
      ['one clock', MINUTE],
      ['a process whose clock is behind', -4 * SECOND],
    ] as const)
      test(`one email a day gets in the next one what came while the digest was being sent, by ${clocks}`, async t => {
        let meanwhile = async () => {}
        const mail = ({ text }: Message) => (/one email a day/.test(text) ? meanwhile() : Promise.resolve())
        const service = await aService(t, { engine, email: 'daily', browser: false, mail })
        const { clock, store, hers } = service
        await inquire(service, 'Ana')
        await service.postSite(aSite())
        await service.settle()
        const [later] = await sql(service.database, "select id from tasks where kind = 'notify' order by id desc")
        const morning = Date.parse('2026-11-25T14:00:00Z')
        meanwhile = async () => {
          meanwhile = async () => {}
          const digest = { day: 20261125, at: morning }
          const taskId = Number(later?.['id'])
          await store.addNotice(hers.operator, { taskId, digest, now: clock.now() + ahead })
          clock.advance(MINUTE)
        }
        clock.advance(DAY)
        await service.settle()
        equal(toMaria(service).length, 1)
        clock.advance(morning - clock.now())
        await service.settle()
        equal(toMaria(service).length, 2)
      })

    test('an email a day gets all of it though the clock is set back while the mail server is away', async t => {
      let away = false
      const mail = async () => {
        if (away) await failing()
      }
      const service = await aService(t, { engine, email: 'daily', browser: false, mail })
      await inquire(service, 'Ana')
      away = true
      service.clock.advance(DAY)
      await service.settle()
      service.clock.advance(-2 * DAY)
      for (let hours = 0; hours < 5; hours++) {
        await service.settle()
        service.clock.advance(HOUR)
      }
      away = false
      service.clock.advance(5 * HOUR)
      await service.settle()
      match(toMaria(service)[0]?.text ?? '', /Ana/)
    })

    test('an email a day gets in one more what came for a morning whose digest is tried again and again', async t => {
      let away = false
      const mail = async () => {
        if (away) await failing()
      }
      const service = await aService(t, { engine, email: 'daily', browser: false, mail })
      const { clock, settle } = service
      await inquire(service, 'Ana')
      away = true
      clock.advance(23 * HOUR)
      await settle()
      clock.advance(-DAY)
      await inquire(service, 'Ben')
      away = false
      for (let hours = 0; hours < 2 * 24; hours++) {
        clock.advance(HOUR)
        await settle()
      }
      const texts = toMaria(service).map(({ text }) => text)
      deepEqual(
        texts.map(text => ['Ana', 'Ben'].filter(name => text.includes(name))),
        [['Ana'], ['Ben']],
      )
    })

    test('one email a day names each lead once, though the digests of two days are due at the same time', async t => {
      let away = true
      const mail = async () => {
        if (away) await failing()
      }
      const service = await aService(t, { engine, email: 'daily', browser: false, mail })
      const { clock, settle, store, hers } = service
      await inquire(service, 'Ana')
      clock.advance(23 * HOUR)
      await settle()
      await inquire(service, 'Ben')
      clock.advance(DAY)
      await settle()
      const listed = async (day: number) => (await store.takeDailyNotices(hers.operator, day)).length
      for (const day of [20261124, 20261125, 20261124]) equal(await listed(day), 1, `${day}`)
      away = false
      clock.advance(5 * HOUR)
      await settle()
      const named = toMaria(service).map(({ text }) => ['Ana', 'Ben'].filter(name => text.includes(name)))
      deepEqual(named.sort(), [['Ana'], ['Ben']])
    })

    test('one email a day gets in the next one what was in one that was given up', async t => {
      let send: () => Promise<void> = failing
      const service = await aService(t, { engine, email: 'daily', browser: false, mail: () => send() })
      await inquire(service, 'Ana')
      service.clock.advance(23 * HOUR)
      await service.settle()
      await sql(service.database, "update tasks set state = 'dead' where kind = 'daily' and attempts > 0")
      send = async () => {}
      await inquire(service, 'Ben')
      service.clock.advance(DAY)
      await service.settle()
      match(toMaria(service)[0]?.text ?? '', /Ana.*Ben/s)
    })

    test('an email a day still gets what came before the clock was set back, once the clock shows that time again', async t => {
      let away = true
      const mail = async () => {
        if (away) await failing()
      }
      const service = await aService(t, { engine, email: 'daily', browser: false, mail })
      await inquire(service, 'Ana')
      const came = service.clock.now()
      service.clock.advance(-2 * DAY)
      while (service.clock.now() < came + HOUR) {
        service.clock.advance(HOUR)
        await service.settle()
      }
      const [digest] = await sql(service.database, 'select begun_at, state from tasks where subject = 20261124')
      ok(digest?.['state'] === 'due' && Number(digest['begun_at']) < came, JSON.stringify(digest))
      away = false
      service.clock.advance(5 * HOUR)
      await service.settle()
      match(toMaria(service)[0]?.text ?? '', /Ana/)
    })

    test('the browser gets no email while a browser can be woken, and the page says what is new', async t => {
      const service = await aService(t, { engine, email: 'browser' })
      const { hers, push, store } = service
      await inquire(service)
      equal(toMaria(service).length, 0)
      equal(push.woken.length, 1)
      const [notice, ...others] = JSON.parse((await hers.get(`${PATH}/latest`)).text)
      equal(others.length, 0)
      match(`${notice.title}: ${notice.body}`, /^New student inquiry: Ana /)
      equal(notice.url, '/leads/1')
      match((await hers.get(PATH)).text, /href="\/leads\/1"/)
      service.clock.advance(16 * MINUTE)
      deepEqual(JSON.parse((await hers.get(`${PATH}/latest`)).text), [])

      // Its maker does not know the browser any more.
      push.status = 410
      await inquire(service, 'Ben')
      equal(toMaria(service).length, 1)
      deepEqual(await store.listPushSubscriptions(hers.operator), [])
    })

    test('the browser gets an email as well while they are signed out, since the browser cannot say what is new', async t => {
      const service = await aService(t, { engine, email: 'browser', mail: failing })
      await service.hers.post('/sign-out')
      service.clock.advance(MINUTE)
      await inquire(service)
      equal(service.push.woken.length, 1)
      const [email] = await sql(service.database, "select state, note from tasks where kind = 'notify'")
      deepEqual({ ...email }, { state: 'due', note: '421 try later' })
      service.clock.advance(DAY)
      await service.settle()
      equal(service.push.woken.length, 1, 'not with each attempt')
    })

    test('neither gets an email at once, and their browser is woken, too', async t => {
      const service = await aService(t, { engine })
      await inquire(service)
      equal(toMaria(service).length, 1)
      // Waking a browser holds up no email, so it may end after everything else.
      await until(() => service.push.woken.length > 0)
      equal(service.push.woken.length, 1)
    })

    test('neither is woken once, however often the mail server is tried, and finds it in the digest that they choose afterward', async t => {
      const service = await aService(t, { engine, mail: failing })
      const { push, hers, store, clock, choose } = service
      await inquire(service)
      clock.advance(HOUR)
      await service.settle()
      await until(() => push.woken.length > 0)
      equal(push.woken.length, 1)
      await choose('daily')
      clock.advance(HOUR)
      await service.settle()
      equal((await store.takeDailyNotices(hers.operator, 20261124)).length, 1)
    })

    test('an email at once, without a browser, leaves no notice', async t => {
      const service = await aService(t, { engine, email: 'at once', browser: false })
      await inquire(service)
      equal(toMaria(service).length, 1)
      deepEqual(await service.store.listNotices(service.hers.operator, { since: 0, limit: 9 }), [])
    })

    test('to hear of leads that no one has hears of these, without an email', async t => {
      const service = await aService(t, { engine })
      const { push, store, clock } = service
      const admin = await service.client('admin', { email: 'dana@school.example' })
      const choices = { email: 'at once', unassigned: true, quietFrom: 0, quietTo: 0 } as const
      await store.saveNoticeChoices(admin.operator, choices)
      const endpoint = `${push.url}/dana`
      await store.addPushSubscription(admin.operator, { endpoint, browser: 'Chrome', now: clock.now() })
      await inquire(service)
      deepEqual(await store.listNotices(admin.operator, { since: 0, limit: 9 }), [])
      await service.postSite({
        firstName: 'Sam',
        lastName: 'Lee',
        email: 'sam@clinic.example',
        phone: '512-555-0123',
        company: 'Clinic',
        address: '1 Main Street, Austin',
        website: '',
        startedAt: clock.now() - MINUTE,
      })
      await service.settle()
      equal((await store.listNotices(admin.operator, { since: 0, limit: 9 })).length, 1)
      const hers = () => push.woken.filter(({ url }) => url === '/send/abc/dana')
      await until(() => hers().length > 0)
      equal(hers().length, 1)
    })
  })
})

describe('quiet hours', () => {
  test('keep the browser quiet, and what it would have told comes by email', async t => {
    const service = await aService(t, {})
    await service.choose('browser', { quietFrom: '9', quietTo: '11' })
    await inquire(service)
    equal(service.push.woken.length, 0)
    equal(toMaria(service).length, 1)
  })

  test('may go over midnight, and do not exist if both hours are the same', () => {
    const at = (hour: number) => Date.parse(`2026-11-23T${String(hour).padStart(2, '0')}:30:00Z`)
    const quiet = (quietFrom: number, quietTo: number) =>
      [0, 7, 8, 12, 19, 20, 23].filter(hour => isQuiet({ quietFrom, quietTo }, at(hour), 'UTC'))
    deepEqual(quiet(20, 8), [0, 7, 20, 23])
    deepEqual(quiet(8, 20), [8, 12, 19])
    deepEqual(quiet(8, 8), [])
  })
})

describe('the page of notifications', () => {
  test('turns on only browsers whose maker it knows, and turns off only those of one’s own account', async t => {
    const { hers, store, ...service } = await aService(t, { browser: false })
    for (const endpoint of ['', 'https://evil.example/x', 'http://fcm.googleapis.com/x', 'https://127.0.0.1/'])
      equal((await hers.post(`${PATH}/browsers`, { endpoint })).status, 422)
    const now = service.clock.now()
    await store.addPushSubscription(hers.operator, { endpoint: 'https://a.example/', browser: 'x', now })
    const [mine] = await store.listPushSubscriptions(hers.operator)
    const other = await service.client('counselor')
    await other.post(`${PATH}/browsers/remove`, { id: `${mine?.id}` })
    equal((await store.listPushSubscriptions(hers.operator)).length, 1)
    await hers.post(`${PATH}/browsers/remove`, { id: `${mine?.id}` })
    deepEqual(await store.listPushSubscriptions(hers.operator), [])
    equal((await hers.post(PATH, { email: 'never', quietFrom: '1', quietTo: '2' })).status, 422)
    equal((await hers.post(PATH, { email: 'daily', quietFrom: '24', quietTo: '2' })).status, 422)
  })

  test('says what the maker of a browser learns, and the page of the account shows what the person chose', async t => {
    const { hers, choose } = await aService(t, {})
    match((await hers.get(PATH)).text, /sees that you get a notification, but not what it says/)
    for (const [way, words] of [
      ['at once', /hand-overs reach you by email right away\./],
      ['daily', /hand-overs reach you in one email a day\./],
      ['browser', /hand-overs reach you in your browser, or by email in quiet hours/],
    ] as const) {
      await choose(way)
      match((await hers.get('/account')).text, words)
    }
  })

  test('comes with a worker for browsers that have no session, and says nothing of people in it', async t => {
    const service = await aService(t, {})
    const stranger = await service.client()
    const worker = await stranger.get('/service-worker.js')
    match(worker.headers.get('content-type') ?? '', /javascript/)
    const { name, start_url } = JSON.parse((await stranger.get('/manifest.webmanifest')).text)
    deepEqual([name.length > 0, start_url], [true, '/'])
    equal((await stranger.fetch(`${PATH}/latest`)).status, 303)
  })
})

test('a browser is woken by an empty message that is signed with our key, for its maker only', async t => {
  const push = await startPushService(t)
  const [key, now] = [newPushKey(), Date.parse('2026-11-23T15:00:00Z')]
  equal(await wakeBrowser(push.url, { key, contact: 'mailto:desk@school.example', now }), 'woken')
  const [{ headers }] = push.woken as [IncomingMessage]
  equal(headers['content-length'], '0')
  const [, token = '', point] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? []
  equal(point, publicKeyOf(key))
  const [head = '', claims = '', signature = ''] = token.split('.')
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  deepEqual(parse(head), { typ: 'JWT', alg: 'ES256' })
  deepEqual(parse(claims), {
    aud: new URL(push.url).origin,
    exp: (now + 12 * HOUR) / 1000,
    sub: 'mailto:desk@school.example',
  })
  const publicKey = createPublicKey({ key: JSON.parse(key), format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  ok(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
  push.status = 404
  equal(await wakeBrowser(push.url, { key, contact: 'mailto:a@b.example', now }), 'gone')
  push.status = 500
  equal(await wakeBrowser(push.url, { key, contact: 'mailto:a@b.example', now }), 'failed')
  equal(await wakeBrowser('http://127.0.0.1:1/x', { key, contact: 'mailto:a@b.example', now }), 'failed')
})

test('we send only to the services of the makers of browsers', () => {
  for (const url of [
    'https://fcm.googleapis.com/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/abc',
    'https://wns2-by3p.notify.windows.com/w/?token=abc',
  ])
    ok(isPushService(url), url)
  for (const url of [
    'https://fcm.googleapis.com.evil.example/',
    'https://evilfcm.googleapis.com.example/',
    'https://notfcm-googleapis.com/',
    'https://fcm.googleapis.com:8443/',
    'https://user@fcm.googleapis.com/',
    `https://fcm.googleapis.com/${'a'.repeat(1000)}`,
    'nonsense',
  ])
    ok(!isPushService(url), url)
})
