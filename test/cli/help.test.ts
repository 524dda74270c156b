import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Command } from 'commander'
import { createProgram } from '../../src/cli/cli.ts'
import { examples } from '../../src/cli/examples.ts'
import { DAY } from '../../src/platform/time.ts'
import { startApp, withoutFollowUp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { sql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { frontdeskIn, spawnedFrontdeskIn } from './frontdesk.ts'

describe('the command line', () => {
  test('prints help, and writes nothing to the folder', async t => {
    const folder = temporaryFolder(t)
    const frontdesk = spawnedFrontdeskIn(folder)
    const [all, leads, version] = await Promise.all([
      frontdesk('--help'),
      frontdesk('leads', 'export', '--help'),
      frontdesk('--version'),
    ])
    deepEqual(
      [all, leads, version].map(({ code, err }) => [code, err]),
      [
        [0, ''],
        [0, ''],
        [0, ''],
      ],
    )
    const commands = [
      'serve',
      'worker',
      'leads',
      'follow-up',
      'counselors',
      'suppressions',
      'accounts',
      'quarantine',
      'mail',
      'check',
      'move',
    ]
    for (const command of commands) {
      match(all.out, new RegExp(`^ {2}${command}\\b`, 'm'))
    }
    match(all.out, /Exit codes: 0 done, 1 failed, 2 the settings/)
    match(leads.out, /--since <time>/)
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    equal(version.out.trim(), JSON.parse(manifest).version)
    deepEqual(readdirSync(folder), [])
  })

  test('rejects unknown input with exit code 1, and says what to do', async t => {
    const frontdesk = frontdeskIn(temporaryFolder(t))
    const runs = await Promise.all([
      frontdesk('lead'),
      frontdesk('leads', 'lst'),
      frontdesk('leads', 'list', '--colour'),
      frontdesk('leads', 'show'),
    ])
    deepEqual(
      runs.map(({ code, out }) => [code, out]),
      runs.map(() => [1, '']),
    )
    const expected = [
      /unknown command 'lead'/,
      /unknown command 'lst'/,
      /unknown option '--colour'/,
      /missing required argument 'lead'/,
    ]
    for (const [i, words] of expected.entries()) match(runs[i]?.err ?? '', words)
    match(runs[0]?.err ?? '', /run with --help to see what is possible/)
  })

  test('on its own says who waits and whether mail goes out, before the help', async t => {
    const folder = temporaryFolder(t)
    const none = await frontdeskIn(folder)()
    deepEqual([none.code, none.err], [0, ''])
    match(none.out, /^The database does not exist yet\. .*: npx frontdesk serve\n\nUsage: npx frontdesk /)
    deepEqual(readdirSync(folder), [])
    const clock = testClock(Date.now() - 8 * DAY)
    const service = await startApp(t, { clock, settings: withoutFollowUp })
    const frontdesk = frontdeskIn(service.dataDir)
    match((await frontdesk()).out, /^Waiting: {2}no one\nOverdue: {2}no one\nMail: {5}0 failed, 0 retry/)
    for (const email of ['ben@mail.example', 'cleo@mail.example', 'dan@mail.example'])
      await service.postStudent(aStudent({ email }))
    await service.settle()
    const by = { actor: null, now: clock.now() }
    await service.app.store.recordCall(1, { outcome: 'no answer', note: '', ...by })
    await service.app.store.changeStage(3, { stage: 'contacted', closedReason: null, ...by })
    const { code, out } = await frontdesk()
    equal(code, 0)
    match(out, /^Waiting: {2}2 people, the longest for 8 days .*\nOverdue: {2}1 person, no one tried/)
    match(out, /\nMail: {5}0 failed, 0 retrying; no mailbox is watched\n\nUsage: npx frontdesk /)
    await sql(
      service.database,
      `insert into destinations (ref, kind, name, host, sealed, filter, events, fields, created_at, off_at, off_reason)
        values ('a', 'webhook', 'Records', 'records.example', '', '{}', '[]', '[]', 1, 1, 'gone')`,
    )
    const lost = 'Records no longer gets leads. It is off: the receiver responded that it no longer exists.'
    ok((await frontdesk()).out.includes(`watched\nLost:     ${lost}\n\nUsage`))
    ok((await frontdesk('check')).out.includes(`\nnote  ${lost}\n`))
  })

  test('shows examples in the help of every command, and accepts each of them', async () => {
    const output = { write: () => {} }
    const terminal = { env: {}, stdout: output, stderr: output }
    const program = await createProgram(undefined, terminal)
    const leaves = (command: Command, path: string[] = []): [string, Command][] =>
      command.commands.length === 0
        ? [[path.join(' '), command]]
        : command.commands.flatMap(child => leaves(child, [...path, child.name()]))
    const commands = leaves(program)
    deepEqual(commands.map(([name]) => name).toSorted(), Object.keys(examples).toSorted())
    const accepted: string[] = []
    for (const [name, command] of commands) command.action(() => void accepted.push(name))
    for (const [name, lines] of Object.entries(examples)) {
      for (const line of lines) {
        const words = line.replace(/ [<>] .*/, '').match(/"[^"]*"|\S+/g) ?? []
        await program.parseAsync(
          words.map(word => word.replaceAll('"', '')),
          { from: 'user' },
        )
        ok(line.startsWith(accepted.at(-1) ?? '?'), line)
      }
      ok(accepted.includes(name), name)
    }
  })
})
