import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { shutdown } from '../../../src/shutdown.ts'
import { startDovecot } from '../../support/dovecot.ts'
import { startTcp } from '../../support/smtp.ts'
import { aMail, until, watch } from './watching.ts'

describe('a watched mailbox', () => {
  test('delivers new messages at once, complete and in order', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = watch(t, dovecot.url)
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.handled.length === 1)
    dovecot.deliver(aMail('two'))
    dovecot.deliver(aMail('three'))
    await until(() => mailbox.handled.length === 3)
    deepEqual(mailbox.subjects(), ['one', 'two', 'three'])
    equal(String(Buffer.from(mailbox.handled[0]?.source ?? [])), aMail('one'))
    deepEqual(
      mailbox.handled.map(({ uid }) => uid),
      [1, 2, 3],
    )
  })

  test('is not changed: a delivered message stays marked as new', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = watch(t, dovecot.url)
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.handled.length === 1)
    await mailbox.stop()
    deepEqual(dovecot.states(), ['new'])
  })

  test('does not deliver messages that were there before', async t => {
    const dovecot = await startDovecot(t)
    dovecot.deliver(aMail('old'))
    dovecot.deliver(aMail('older'))
    const mailbox = watch(t, dovecot.url)
    mailbox.start()
    await mailbox.watched()
    equal(mailbox.memory.begun, 1)
    equal(mailbox.memory.position?.lastUid, 2)
    dovecot.deliver(aMail('new'))
    await until(() => mailbox.handled.length === 1)
    deepEqual(mailbox.subjects(), ['new'])
  })

  test('delivers messages that arrived while it was not watched, and none twice', async t => {
    const dovecot = await startDovecot(t)
    const before = watch(t, dovecot.url)
    before.start()
    await before.watched()
    dovecot.deliver(aMail('one'))
    await until(() => before.handled.length === 1)
    await before.stop()
    dovecot.deliver(aMail('two'))
    dovecot.deliver(aMail('three'))
    const after = watch(t, dovecot.url)
    after.memory.position = before.memory.position
    after.start()
    await until(() => after.handled.length === 2)
    await after.watched()
    deepEqual(after.subjects(), ['two', 'three'])
    equal(after.memory.begun, 0)
  })

  test('is polled if the server does not announce new messages', async t => {
    const dovecot = await startDovecot(t, { idle: false })
    const mailbox = watch(t, dovecot.url, { poll: 50 })
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.handled.length === 1)
    dovecot.deliver(aMail('two'))
    await until(() => mailbox.handled.length === 2)
  })

  test('delivers only the first megabyte of a larger message', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = watch(t, dovecot.url)
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(`${aMail('large')}${'0123456789abcdef\r\n'.repeat(300_000)}`)
    dovecot.deliver(aMail('small'))
    await until(() => mailbox.handled.length === 2)
    deepEqual(mailbox.subjects(), ['large', 'small'])
    equal(mailbox.handled[0]?.source.length, 1_000_000)
  })

  test('delivers a message whose structure nests too deeply, without its files', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = watch(t, dovecot.url)
    mailbox.start()
    await mailbox.watched()
    const levels = Array.from({ length: 40 }, (_, level) => `level${level}`)
    const nested = levels.map(level => `Content-Type: multipart/mixed; boundary=${level}\r\n\r\n--${level}\r\n`)
    dovecot.deliver(`Subject: deep\r\nMIME-Version: 1.0\r\n${nested.join('')}Content-Type: text/plain\r\n\r\nHello\r\n`)
    dovecot.deliver(aMail('after'))
    await until(() => mailbox.subjects().includes('after'))
    deepEqual(mailbox.subjects(), ['deep', 'after'])
    deepEqual(mailbox.handled[0]?.attachments, [])
  })

  test('may be a folder other than INBOX', async t => {
    const dovecot = await startDovecot(t)
    // Its name as IMAP and file systems write it (RFC 3501 section 5.1.3).
    const folder = 'Le&AOE-ds &- more'
    dovecot.deliver(aMail('old'), folder)
    const mailbox = watch(t, `${dovecot.url}/Le%C3%A1ds%20%26%20more`)
    mailbox.start()
    await mailbox.watched()
    match(mailbox.lines[0] ?? '', /127\.0\.0\.1:\d+\/Leáds & more/)
    dovecot.deliver(aMail('new'), folder)
    await until(() => mailbox.handled.length === 1)
    deepEqual(mailbox.subjects(), ['new'])
  })

  test('that does not exist is logged as a problem, and is watched once it exists', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = watch(t, `${dovecot.url}/Leads`)
    mailbox.start()
    await until(() => mailbox.lines.length > 0)
    match(mailbox.lines[0] ?? '', /cannot be watched/)
    match(mailbox.lines[0] ?? '', /Mailbox doesn't exist/)
    dovecot.deliver(aMail('old'), 'Leads')
    await mailbox.watched()
  })

  test('continues with what arrived meanwhile if the server has renumbered it', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = watch(t, dovecot.url)
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.handled.length === 1)
    await dovecot.stop()
    dovecot.forgetUids()
    dovecot.deliver(aMail('old, and moved here', 'Sun, 01 Nov 2020 10:00:00 +0000'))
    dovecot.deliver(aMail('missed'))
    await dovecot.start()
    await until(() => mailbox.memory.begun === 2)
    equal(mailbox.logged('renumbered the mailbox'), 1)
    await until(() => mailbox.handled.length === 2)
    dovecot.deliver(aMail('two'))
    await until(() => mailbox.handled.length === 3)
    deepEqual(mailbox.subjects(), ['one', 'missed', 'two'])
  })
})

describe('a message that cannot be handled', () => {
  test('is retried until it can, before the messages behind it', async t => {
    const dovecot = await startDovecot(t)
    let times = 0
    const fails = (subject?: string) => subject === 'one' && ++times < 4
    const mailbox = watch(t, dovecot.url, { fails, reconnectAfter: 2 })
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(aMail('one'))
    dovecot.deliver(aMail('two'))
    await until(() => mailbox.handled.length === 2)
    deepEqual(mailbox.tried, ['one', 'one', 'one', 'one', 'two'])
    equal(mailbox.logged('could not be handled; we will try again'), 1)
    equal(mailbox.logged('cannot be watched'), 0)
  })

  test('is skipped after five attempts, with an error in the log', async t => {
    const dovecot = await startDovecot(t)
    const fails = (subject?: string) => subject === 'poison'
    const mailbox = watch(t, dovecot.url, { fails, reconnectAfter: 2 })
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(aMail('poison'))
    dovecot.deliver(aMail('two'))
    dovecot.deliver(aMail('three'))
    await until(() => mailbox.handled.length === 2)
    deepEqual(mailbox.tried, ['poison', 'poison', 'poison', 'poison', 'poison', 'two', 'three'])
    const errors = mailbox.lines.filter(line => line.includes('"level":50'))
    equal(errors.length, 1)
    match(errors[0] ?? '', /"uid":1\b/)
  })

  test('is still handled later if no message behind it has been handled', async t => {
    const dovecot = await startDovecot(t)
    let full = true
    const mailbox = watch(t, dovecot.url, { fails: () => full, reconnectAfter: 2, poll: 20 })
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(aMail('one'))
    dovecot.deliver(aMail('two'))
    await until(() => mailbox.tried.filter(subject => subject === 'two').length > 5)
    full = false
    await until(() => mailbox.handled.length >= 2)
    deepEqual(mailbox.subjects(), ['one', 'two'])
  })

  test('is not retried while the database cannot say which messages were handled', async t => {
    const dovecot = await startDovecot(t)
    let away = false
    let asked = 0
    const mailbox: ReturnType<typeof watch> = watch(t, dovecot.url, {
      async position() {
        asked++
        if (away) throw new Error('the database is away')
        return mailbox.memory.position
      },
      reconnectAfter: 2,
    })
    mailbox.start()
    await mailbox.watched()
    away = true
    asked = 0
    dovecot.deliver(aMail('one'))
    await until(() => asked > 6)
    equal(mailbox.handled.length, 0)
    away = false
    await until(() => mailbox.handled.length === 1)
    equal(mailbox.logged('the database is away'), 1)
  })
})

describe('stopping the watch', () => {
  /** Stopping takes less time than it allows a message, in two of three attempts: the machine may be busy. */
  const stopsAtOnce = async (watched: () => Promise<ReturnType<typeof watch>>) => {
    const times: number[] = []
    let atOnce = 0
    while (times.length < 3) {
      const mailbox = await watched()
      const begun = performance.now()
      await mailbox.stop()
      times.push(performance.now() - begun)
      if ((times.at(-1) ?? 0) < shutdown.mailbox - 300) atOnce++
      if (atOnce === 2) return mailbox
    }
    throw new Error(`It stopped only after ${times.join(', ')} ms`)
  }

  test('is immediate while the mailbox is quiet', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = await stopsAtOnce(async () => {
      const quiet = watch(t, dovecot.url)
      quiet.start()
      await quiet.watched()
      return quiet
    })
    dovecot.deliver(aMail('one'))
    equal(mailbox.handled.length, 0)
    equal(mailbox.lines.length, 1)
  })

  test('does not wait for a server that never greets or that is frozen', async t => {
    const silent = await startTcp(t, () => {})
    await stopsAtOnce(async () => {
      const { total } = silent.connections
      const connecting = watch(t, `imap://a:b@127.0.0.1:${new URL(silent.url).port}`)
      connecting.start()
      await until(() => silent.connections.total > total)
      return connecting
    })

    const dovecot = await startDovecot(t)
    await stopsAtOnce(async () => {
      dovecot.thaw()
      const mailbox = watch(t, dovecot.url)
      mailbox.start()
      await mailbox.watched()
      dovecot.freeze()
      return mailbox
    })
    dovecot.thaw()
  })

  test('does no harm before the watch has started, or twice', async t => {
    const dovecot = await startDovecot(t)
    const never = watch(t, dovecot.url)
    await never.stop()
    const barely = watch(t, dovecot.url)
    barely.start()
    await barely.stop()
    await barely.stop()
    deepEqual(barely.lines, [])
  })

  test('waits a moment for the current message, and delivers no other', async t => {
    const dovecot = await startDovecot(t)
    const { promise, resolve } = Promise.withResolvers<void>()
    const begun: number[] = []
    let ended = 0
    const mailbox = watch(t, dovecot.url, {
      async handle({ uid }) {
        begun.push(uid)
        await promise
        ended++
      },
    })
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(aMail('one'))
    dovecot.deliver(aMail('two'))
    await until(() => begun.length === 1)
    const stopped = mailbox.stop()
    resolve()
    await stopped
    equal(ended, 1)
    deepEqual(begun, [1])
  })

  test('does not wait forever for the current message', async t => {
    const dovecot = await startDovecot(t)
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const mailbox = watch(t, dovecot.url, {
      handle() {
        begin()
        return new Promise(() => {})
      },
    })
    mailbox.start()
    await mailbox.watched()
    dovecot.deliver(aMail('one'))
    await begun
    await mailbox.stop()
  })
})
