/** The watched mailbox from end to end: a real IMAP server, the whole service, and the effect on leads. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '../../src/mail/transport/mailer.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { startDovecot } from '../support/dovecot.ts'
import { countRows } from '../support/engines.ts'
import { HANGS_AFTER } from '../support/process.ts'
import { bounceOf, headersOf, vouchedFor } from './receiving.ts'

const BEN = 'ben@mail.example'
const MARIA = 'maria@school.example'
const PROVEN = vouchedFor('mail.example')

describe('with a watched mailbox', () => {
  test('a reply to the receipt ends the emails, notifies the counselor, and restarts the reminders', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    const receipt = sentTo(service.sent, BEN)
    equal(receipt?.replyTo, undefined)
    await deliver([
      `From: Ben <${BEN}>`,
      `To: <${receipt?.from.address}>`,
      `Subject: Re: ${receipt?.subject}`,
      `In-Reply-To: <${receipt?.id}>`,
      'Message-ID: <answer-1@mail.example>',
      '',
      'Yes please, call me tomorrow at ten.',
      '',
      `On Mon, Nov 23, 2026 at 9:02 AM ${receipt?.from.name} <${receipt?.from.address}> wrote:`,
      '> Thank you',
    ])
    const entry = await untilNoted('reply')
    equal(entry.detail, 'Yes please, call me tomorrow at ten.')
    const news = () => service.sent.find(({ subject }) => / replied$/.test(subject))
    await until(async () => news() !== undefined)
    const told = news()
    equal(told?.to.address, MARIA)
    equal(told?.replyTo?.address, BEN)
    match(told?.text ?? '', /call me tomorrow at ten/)

    const before = service.sent.length
    // On Monday; the school is closed on weekends.
    service.clock.advance(2 * DAY)
    const later = () => service.sent.slice(before)
    await nudgedUntil(service, () => later().some(({ subject }) => subject.startsWith('Reminder:')))
    service.clock.advance(20 * DAY)
    await service.settle()
    deepEqual(
      later().filter(({ to }) => to.address === BEN),
      [],
    )
    const found = await service.app.store.readLead(1)
    equal(found?.lead.stage, 'new')
  })

  test('an absence note is recorded and changes nothing', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    const { store } = service.app
    const receipt = sentTo(service.sent, BEN)
    const before = (await store.readLead(1))?.lead
    const sent = service.sent.length
    await deliver([
      `From: <${BEN}>`,
      'Subject: Out of office',
      'Auto-Submitted: auto-replied',
      `In-Reply-To: <${receipt?.id}>`,
      '',
      'I am away.',
    ])
    await untilNoted('auto-reply')
    await service.settle()
    deepEqual((await store.readLead(1))?.lead, before)
    equal(await countRows(service.database, 'suppressions'), 0)
    equal(service.sent.length, sent)
    service.clock.advance(2 * DAY)
    await nudgedUntil(service, () =>
      service.sent.some(({ to, subject }) => to.address === BEN && /good time/.test(subject)),
    )
  })

  test('a bounce suppresses the address, and the counselor is asked to call', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    const receipt = sentTo(service.sent, BEN)
    await deliver(returned(BEN, receipt))
    await untilNoted('bounce')
    const before = service.sent.length
    await service.app.store.recordCall(1, { outcome: 'no answer', note: '', actor: 'maria', now: service.clock.now() })
    await until(async () => service.sent.some(({ subject }) => /: email bounced$/.test(subject)))
    const lead = async () => (await service.app.store.readLead(1))?.lead
    await nudgedUntil(service, async () => {
      service.clock.advance(6 * HOUR)
      return (await lead())?.stage === 'closed'
    })
    equal((await lead())?.closedReason, 'unreachable')
    deepEqual(
      service.sent.slice(before).filter(({ to }) => to.address === BEN),
      [],
    )
  })

  test('a bounced message to a counselor is given up, the team learns of it, and it says nothing about the student', async t => {
    const { service, deliver } = await startWatched(t)
    const notification = () => sentTo(service.sent, MARIA)
    await until(async () => notification() !== undefined)
    await deliver(returned(MARIA, notification()))
    const failed = () => service.app.store.listMail({ state: 'failed', limit: 9 })
    await until(async () => (await failed()).length === 1)
    match((await failed())[0]?.note ?? '', /^bounced: .*User unknown/)
    const found = await service.app.store.readLead(1)
    deepEqual(
      found?.timeline.filter(({ kind }) => kind === 'bounce'),
      [],
    )
    equal(service.sent.filter(({ to }) => to.address === MARIA).length, 1)
    const toTeam = () => service.sent.find(({ subject }) => /: email to .* does not arrive$/.test(subject))
    await until(async () => toTeam() !== undefined)
    equal(toTeam()?.subject, 'Ben Okafor: email to Maria does not arrive')
    equal(toTeam()?.to.address, 'team@school.example')
    match(toTeam()?.text ?? '', /does not accept mail for this\s+address/)
  })

  test('bounces of messages to a counselor do not flood the team, whatever they say', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    const toMaria = () => service.sent.filter(({ to }) => to.address === MARIA)
    const reports = () => service.sent.filter(({ subject }) => /: email to .* does not arrive$/.test(subject))
    await until(async () => toMaria().length === 1)
    await deliver([PROVEN, `From: <${BEN}>`, 'Subject: Hello', '', 'It is me.'])
    await until(async () => toMaria().length === 2)
    for (const message of toMaria())
      for (const no of [1, 2, 3]) await deliver(returned(MARIA, message, `User ${no} unknown in ${message.id}`))
    // One that names an address that is not Maria's, as a mailbox does that forwards its mail.
    await deliver(returned('maria.home@else.example', toMaria()[0]))
    await deliver([`From: <${BEN}>`, 'Subject: Away', 'Auto-Submitted: auto-replied', '', 'Gone.'])
    await untilNoted('auto-reply')
    await service.settle()
    deepEqual(
      reports().map(({ to }) => to.address),
      ['team@school.example'],
    )
    const found = await service.app.store.readLead(1)
    equal(found?.timeline.filter(({ detail }) => /^not delivered/.test(detail)).length, 1)
    equal((await service.app.store.listMail({ state: 'failed', limit: 9 })).length, 2)
  })

  test('a bounce of an email that we did not send is recorded, and stops nothing', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    await deliver(returned(BEN))
    await untilNoted('bounce')
    service.clock.advance(2 * DAY)
    await nudgedUntil(service, () =>
      service.sent.some(({ to, subject }) => to.address === BEN && /good time/.test(subject)),
    )
    ok(!service.sent.some(({ subject }) => /: email bounced$/.test(subject)))
  })

  test('a message from a counselor is not the reply of the student', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    const receipt = sentTo(service.sent, BEN)
    const inThread = [`In-Reply-To: <${receipt?.id}>`, 'Subject: Re: Thank you']
    await deliver([`From: Maria <${MARIA}>`, ...inThread, '', 'I will call you on Friday.'])
    await deliver([`From: <${BEN}>`, ...inThread, '', 'Fine.'])
    equal((await untilNoted('reply')).detail, 'Fine.')
    const found = await service.app.store.readLead(1)
    equal(found?.timeline.filter(({ kind }) => kind === 'reply').length, 1)
  })

  test('a flood of replies does not flood the counselor', async t => {
    const { service, deliver } = await startWatched(t)
    for (let i = 0; i < 9; i++) await deliver([PROVEN, `From: <${BEN}>`, 'Subject: Hello', '', `${i}`])
    const replies = async () =>
      (await service.app.store.readLead(1))?.timeline.filter(({ kind }) => kind === 'reply') ?? []
    await until(async () => (await replies()).length === 9)
    await service.settle()
    const alerts = () => service.sent.filter(({ subject }) => / replied$/.test(subject))
    await until(async () => alerts().length >= 5)
    await service.settle()
    const waiting = await service.app.store.listMail({ state: 'queued', limit: 9 })
    deepEqual([alerts().length, waiting.filter(({ kind }) => kind === 'news').length], [5, 0])
  })

  test('a reply from another address says so, with its attachments, and the reminders quote it', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    const receipt = sentTo(service.sent, BEN)
    await deliver([
      'From: Ben <ben.work@else.example>',
      'Subject: My transcript',
      `In-Reply-To: <${receipt?.id}>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Please call me after five.',
      '--b',
      'Content-Type: application/pdf; name="transcript.pdf"',
      'Content-Disposition: attachment; filename="transcript.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      ...(Buffer.from(`%PDF-1.7 ${'x'.repeat(2991)}`)
        .toString('base64')
        .match(/.{1,76}/g) ?? []),
      '--b--',
    ])
    const entry = await untilNoted('reply')
    equal(entry.detail, 'Please call me after five.')
    deepEqual(entry.mail, { subject: 'My transcript', from: 'ben.work@else.example' })
    const news = () => service.sent.find(({ subject }) => / replied$/.test(subject))
    await until(async () => news() !== undefined)
    equal(news()?.replyTo?.address, 'ben.work@else.example')
    match(news()?.text ?? '', /They attached transcript\.pdf \(3 KB\)/)
    match(news()?.text ?? '', /ben\.work@else\.example/)
    service.clock.advance(2 * DAY)
    const reminder = () => service.sent.find(({ subject }) => subject.startsWith('Reminder:'))
    await nudgedUntil(service, () => reminder() !== undefined)
    match(reminder()?.text ?? '', /call me after five/)
  })

  test('mail that is about no lead is forwarded to the team, once, and automatic mail is not', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    await deliver(['From: <robot@else.example>', 'Auto-Submitted: auto-generated', 'Subject: Report', '', 'Hello'])
    await deliver([`From: Maria <${MARIA}>`, 'Subject: I called them', '', 'All of them.'])
    await deliver(['From: <stranger@else.example>', 'Subject: A question', '', 'Who are you?'])
    await deliver([PROVEN, `From: <${BEN}>`, 'Subject: Hello', '', 'It is me.'])
    await untilNoted('reply')
    const forwards = () => service.sent.filter(({ id }) => id.startsWith('forward.'))
    await until(async () => forwards().length === 2)
    await service.settle()
    deepEqual(
      forwards()
        .map(({ to, replyTo, subject }) => [to.address, replyTo?.address, subject])
        .sort(),
      [
        ['team@school.example', MARIA, `Mail from ${MARIA}: I called them`],
        ['team@school.example', 'stranger@else.example', 'Mail from stranger@else.example: A question'],
      ],
    )
    await until(async () => (await countRows(service.database, 'stray_mail')) === 0)
    // The forward has the number of Ben's submission, and is not about him.
    await deliver(returned('team@school.example', forwards()[0]))
    const failed = async () => service.app.store.listMail({ state: 'failed', limit: 9 })
    await until(async () => (await failed()).some(({ kind }) => kind === 'forward'))
    const found = await service.app.store.readLead(1)
    equal(
      found?.timeline.some(({ detail }) => detail.startsWith('not delivered')),
      false,
    )
    equal(
      service.log.some(line => /stranger|A question/.test(line)),
      false,
    )
  })

  test('what the team itself writes about no lead waits for the next morning, in case a ticket desk answers each email', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    await deliver(['From: <team@school.example>', 'Subject: [#42] We have received your email', '', 'Thank you.'])
    await deliver([PROVEN, `From: <${BEN}>`, 'Subject: Hello', '', 'It is me.'])
    await untilNoted('reply')
    await service.settle()
    equal(await countRows(service.database, 'stray_mail'), 1)
    deepEqual(
      service.sent.filter(({ id }) => /^(forward|strays)\./.test(id)),
      [],
    )
    service.clock.advance(2 * DAY)
    await service.settle()
    const [list, ...others] = service.sent.filter(({ id }) => /^(forward|strays)\./.test(id))
    deepEqual([list?.id.split('.')[0], list?.to.address, others], ['strays', 'team@school.example', []])
  })

  test('a copy that is proven to be from a counselor records contact; a forged one changes nothing', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    const copy = [`From: Maria <${MARIA}>`, `To: <${BEN}>`, 'Subject: Your question', '', 'Come by.']
    await deliver(copy)
    await deliver(['Authentication-Results: mx.evil.example; dmarc=pass header.from=school.example', ...copy])
    equal((await untilNoted('claim')).actor, null)
    const lead = async () => (await service.app.store.readLead(1))?.lead
    const asked = () => service.sent.filter(({ subject }) => /did you write to them\?$/.test(subject))
    await until(async () => asked().length === 2)
    equal((await lead())?.stage, 'new')
    equal((await service.app.store.readFollowUp(1))?.tried, false)
    await deliver([
      'Authentication-Results: mx.school.example; dkim=pass header.d=school.example;',
      ' dmarc=pass (p=none) header.from=school.example',
      ...copy,
    ])
    const entry = await untilNoted('copy')
    deepEqual([entry.actor, entry.detail], ['maria', 'Come by.'])
    equal((await lead())?.stage, 'contacted')
  })

  test('a new message is matched by its sender, and one from a stranger is not a reply', async t => {
    const { service, deliver, untilNoted } = await startWatched(t)
    await deliver(['From: <stranger@else.example>', 'Subject: Hello', '', 'Who are you?'])
    await deliver([PROVEN, `From: <${BEN.toUpperCase()}>`, 'Subject: A question', '', 'When can I start?'])
    equal((await untilNoted('reply')).detail, 'When can I start?')
    const found = await service.app.store.readLead(1)
    equal(found?.timeline.filter(({ kind }) => kind === 'reply').length, 1)
  })
})

/** The report that a mail server sends for an address that it does not know, about one of our messages. */
const returned = (recipient: string, message?: Message, says?: string) =>
  bounceOf(recipient, message ? headersOf(message) : ['Message-ID: <x@else.example>'], says)

async function startWatched(t: TestContext) {
  const dovecot = await startDovecot(t)
  const service = await startApp(t, {
    env: { IMAP_URL: dovecot.url, MAIL_FROM: 'admissions@school.example', ADMISSIONS_EMAIL: 'team@school.example' },
    settings: {
      school: { postalAddress: '1 Main Street, Austin, TX 78701' },
      admissions: { counselors: [{ id: 'maria', name: 'Maria', email: MARIA }] },
      mail: { trustedServer: 'mx.school.example' },
    },
  })
  service.app.work()
  await until(async () => (await countRows(service.database, 'mailboxes')) === 1)
  await service.postStudent(aStudent({ email: BEN, state: 'TX' }))
  await service.settle()
  await until(async () => sentTo(service.sent, BEN) !== undefined)

  const deliver = async (lines: string[]) => {
    await dovecot.deliver(`${lines.join('\r\n')}\r\n`)
  }
  const untilNoted = async (kind: string) => {
    const find = async () => (await service.app.store.readLead(1))?.timeline.find(entry => entry.kind === kind)
    await until(async () => (await find()) !== undefined)
    return (await find()) as NonNullable<Awaited<ReturnType<typeof find>>>
  }
  return { service, deliver, untilNoted }
}

const sentTo = (sent: Message[], address: string) => sent.find(({ to }) => to.address === address)

/** The worker runs with a clock that moves only here, so it has to be nudged. */
async function nudgedUntil(
  { app }: Awaited<ReturnType<typeof startApp>>,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  await until(async () => {
    app.worker.nudge()
    return holds()
  })
}

/** The IMAP server announces new messages in its own time. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + HANGS_AFTER
  while (!(await holds())) {
    ok(performance.now() < end, 'it did not come to pass')
    await sleep(50)
  }
}
