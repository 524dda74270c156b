import { deepEqual, equal, match } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
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
      ...['serve', 'worker', 'leads', 'follow-up', 'counselors', 'suppressions', 'accounts'],
      ...['quarantine', 'mail', 'check', 'move'],
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
      frontdesk(),
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
      /Usage: frontdesk/,
    ]
    for (const [i, words] of expected.entries()) match(runs[i]?.err ?? '', words)
    match(runs[0]?.err ?? '', /run with --help to see what is possible/)
  })
})
