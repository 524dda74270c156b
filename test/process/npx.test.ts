import { equal } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('npx runs the command for a user without a home, such as the user of the service', async () => {
  const { stdout } = await promisify(execFile)('npx', ['--no', '--', 'frontdesk', '--version'], {
    cwd: root,
    // Nothing can be written below it, not even by root.
    env: { PATH: process.env['PATH'], npm_config_cache: '/dev/null' },
  })
  equal(/^\d+\.\d+\.\d+\n$/.test(stdout), true, stdout)
})
