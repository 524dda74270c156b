import { equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url))

/** Runs `frontdesk --version` under a Node.js that claims to have this version. */
function runUnder(version: string, more = ''): Promise<{ code: number; out: string; err: string }> {
  const disguise = `
    const versions = { ...process.versions, node: '${version}' }
    Object.defineProperty(process, 'versions', { value: versions })
    Object.defineProperty(process, 'version', { value: 'v${version}' })
    ${more}`
  const options = ['--import', `data:text/javascript,${encodeURIComponent(disguise)}`]
  return new Promise(resolve => {
    execFile(process.execPath, [...options, PROGRAM, '--version'], (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err })
    })
  })
}

test('Frontdesk rejects a Node.js without Temporal in one sentence that says what to do', async () => {
  const { code, out, err } = await runUnder('25.9.0')
  equal(code, 1)
  equal(out, '')
  match(err, /^Frontdesk needs Node\.js 26 or newer with Temporal, and this is v25\.9\.0: run `npm ci`.*\n$/)
})

test('Frontdesk rejects a Node.js that is new enough, but was built without Temporal', async () => {
  const { code, err } = await runUnder('26.0.0', 'delete globalThis.Temporal')
  equal(code, 1)
  match(err, /with Temporal, and this is v26\.0\.0/)
})

test('Frontdesk runs on Node.js 26 and later', async () => {
  for (const version of ['26.0.0', '27.1.0']) {
    const { code, out } = await runUnder(version)
    equal(code, 0)
    match(out, /^\d+\.\d+\.\d+\n$/)
  }
})
