import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { MailRefused } from '../../src/mail/transport/mailer.ts'
import { HOUR } from '../../src/platform/time.ts'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { sql } from '../support/engines.ts'
import { frontdeskIn, rowsOf } from './frontdesk.ts'

test('frontdesk mail', async t => {
  let failure: Error | undefined
  const service = await startApp(t, {
    mail: async () => {
      if (failure) throw failure
    },
  })
  const post = async (how: Error | undefined, body = aSite()) => {
    failure = how
    await service.postSite(body)
    await service.settle()
  }
  await post(undefined)
  await post(new MailRefused('550 no such user'))
  await post(new MailRefused('554 not wanted'))
  // As after five days.
  await sql(service.database, `update tasks set state = 'dead' where note like '55%'`)
  await post(new Error('421 try later'))
  failure = undefined
  const frontdesk = frontdeskIn(service.dataDir, { COLUMNS: '250' })
  const mail = (...args: string[]) => frontdesk('mail', ...args)
  const states = async () => (await service.app.store.listMail({ limit: 9 })).map(task => task.state).reverse()

  await t.test('list shows every message, newest first, with its state and why', async () => {
    const { code, out } = await mail('list')
    equal(code, 0)
    match(out, /^id +created +message +lead +to +subject +state +attempts +next attempt +note\n/)
    deepEqual(
      rowsOf(out).map(row => [...row.slice(2, 5), row[6], row.at(-1)]),
      [
        ['notify', '4', 'partnerships@localhost', 'retrying', '421 try later'],
        ['notify', '3', 'partnerships@localhost', 'failed', '554 not wanted'],
        ['notify', '2', 'partnerships@localhost', 'failed', '550 no such user'],
        ['notify', '1', 'partnerships@localhost', 'sent', 'Partnerships'],
      ],
    )
  })

  await t.test('show says what a message says, who it goes to, and what became of it', async () => {
    const [retrying, failed, , sent] = await service.app.store.listMail({ limit: 4 })
    const shown = await Promise.all([retrying, failed, sent].map(task => mail('show', `${task?.id}`)))
    deepEqual(
      shown.map(({ code, err }) => [code, err]),
      shown.map(() => [0, '']),
    )
    match(shown[0]?.out ?? '', /^Message \d+: retrying after 1 attempt, next attempt .*\nLead: +4 /)
    match(shown[1]?.out ?? '', /^Message \d+: failed.* after 1 attempt\n(?:.*\n)*Note: +554 not wanted\n/)
    const text = shown[2]?.out ?? ''
    const message = service.sent[0]
    match(text, /^Message \d+: sent .* after 1 attempt\n(?:.*\n)*As it would be sent with the data of/)
    for (const part of [
      `To:          Partnerships <partnerships@localhost>\nReply-To:    Ana Ruiz <`,
      `Subject:     ${message?.subject}\n`,
      `Message-ID:  <${message?.id}>\n`,
      message?.text.split('\n')[0] ?? '?',
    ])
      ok(text.includes(part), part)
    match((await mail('show', '9999')).err, /^Message 9999 does not exist\.\n$/)
  })

  await t.test('list filters by state, up to a limit', async () => {
    const count = async (...args: string[]) => JSON.parse((await mail('list', '--format', 'json', ...args)).out).length
    deepEqual(
      await Promise.all([count('--state', 'failed'), count('--state', 'retrying'), count('--limit', '3')]),
      [2, 1, 3],
    )
    equal((await mail('list', '--state', 'queued')).out, 'No messages match.\n')
  })

  await t.test('check counts the messages that have failed', async () => {
    match(
      (await frontdesk('check')).out,
      /note {2}2 messages were given up: 2 to your staff \(look at it\)\. See: npx frontdesk mail list/,
    )
  })

  await t.test('acknowledge ends the warning about a failed message, until it is retried', async () => {
    const acknowledged = await mail('acknowledge', '--all')
    deepEqual([acknowledged.code, acknowledged.out], [0, '2 messages acknowledged.\n'])
    doesNotMatch((await frontdesk('check')).out, /given up/)
    equal((await mail('list', '--state', 'failed')).out, 'No messages match.\n')
    const states = rowsOf((await mail('list', '--state', 'acknowledged')).out)
    equal(states.length, 2)
    equal((await mail('retry', '--failed')).out, '0 messages are due now.\n')
    const again = await mail('acknowledge', '1')
    deepEqual([again.code, again.out], [1, ''])
    match(again.err, /^Nothing to acknowledge: these messages have not failed, were acknowledged before, or/)
    equal((await mail('acknowledge')).code, 1)
    await sql(service.database, 'update tasks set acknowledged_at = null')
  })

  await t.test('retry makes a failed message due', async () => {
    const failed = (await service.app.store.listMail({ state: 'failed', limit: 1 }))[0]?.id
    const { code, out } = await mail('retry', String(failed))
    deepEqual([code, out], [0, '1 message is due now.\n'])
    await service.settle()
    deepEqual(await states(), ['done', 'dead', 'done', 'due'])
  })

  await t.test('retry --failed makes all failed messages due, and no others', async () => {
    deepEqual(await mail('retry', '--failed'), { code: 0, out: '1 message is due now.\n', err: '' })
    await service.settle()
    deepEqual(await states(), ['done', 'done', 'done', 'due'])
    equal((await mail('retry', '--failed')).out, '0 messages are due now.\n')
  })

  await t.test('retry does not send a message again that was sent, and says so', async () => {
    const [sent] = await service.app.store.listMail({ state: 'sent', limit: 1 })
    const runs = await Promise.all([
      mail('retry', String(sent?.id), '9999'),
      mail('retry', 'x'),
      mail('retry'),
      mail('retry', '1', '--failed'),
    ])
    deepEqual(
      runs.map(run => run.code),
      [1, 1, 1, 1],
    )
    match(runs[0].err, /^Nothing to retry: the messages were already sent, are being sent, or do not exist\.$/m)
    match(runs[1].err, /"x" is not a valid id/)
    for (const run of runs.slice(2)) match(run.err, /Give either the ids of messages or --failed/)
    await service.settle()
    deepEqual(await states(), ['done', 'done', 'done', 'due'])
    service.clock.advance(HOUR)
    await service.postStudent(aStudent())
    await service.settle()
    equal(service.sent.length, 6)
  })
})

test('frontdesk mail show says of an email that may not be needed why it would not be sent', async t => {
  const { database, dataDir } = await startApp(t)
  await sql(
    database,
    `insert into tasks (lane, kind, subject, step, due_at, state, attempts, created_at)
     values ('reports', 'unattended', 20261123, 0, 4000000000000, 'due', 0, 0)`,
  )
  const { out } = await frontdeskIn(dataDir)('mail', 'show', '1')
  match(out, /^Message 1: queued, /)
  match(out, /\n\nIt would not be sent now: someone looks after every lead\.\n$/)
})

test('frontdesk mail list names what is queued before its text is known, and show says why it is not', async t => {
  const { database, dataDir } = await startApp(t)
  await sql(
    database,
    `insert into tasks (lane, kind, subject, step, due_at, state, attempts, created_at)
     values ('reports', 'report', 20991123, 0, 4000000000000, 'due', 0, 0)`,
  )
  const frontdesk = frontdeskIn(dataDir)
  match((await frontdesk('mail', 'list')).out, /^1 .* \(Weekly report\) +queued/m)
  match((await frontdesk('mail', 'show', '1')).out, /What it says cannot be known: it waits for the end of its week\./)
})
