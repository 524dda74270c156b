import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { logOutput } from '../../src/platform/log-output.ts'
import { temporaryFolder } from '../support/folder.ts'
import { fill, mayMount, mountSmallDisk } from '../support/small-disk.ts'

test('a full disk under the log holds nothing up, and the log says how many lines it dropped', async t => {
  if (!mayMount()) {
    t.skip('mounting a small disk needs Linux and the capability CAP_SYS_ADMIN')
    return
  }
  const disk = mountSmallDisk(t, 1)
  const filler = join(disk, 'filler')
  fill(filler, 0)
  const file = join(disk, 'log')
  const lost = Promise.withResolvers<number>()
  const output = logOutput(openSync(file, 'a'), lost.resolve, 1000)
  for (let i = 0; i < 50; i++) {
    output.write(`line ${i}\n`.padEnd(100))
    await new Promise(setImmediate)
  }
  rmSync(filler)
  output.write('again\n')
  const lines = await lost.promise
  ok(lines > 30 && lines <= 41, `${lines} lines`)
  equal(readFileSync(file, 'utf8').startsWith('line 0'), true)
})

test('a reader that does not read holds nothing up, and what fits is there when it reads', async t => {
  const module = fileURLToPath(new URL('../../src/platform/log-output.ts', import.meta.url))
  const script = join(temporaryFolder(t), 'script.ts')
  writeFileSync(
    script,
    `import { logOutput } from ${JSON.stringify(module)}
     const output = logOutput(1, () => {}, 300_000)
     for (let i = 0; i < 10_000; i++) output.write('x'.repeat(99) + '\\n')
     await new Promise(resolve => setTimeout(resolve, 50))
     process.stderr.write('alive')
     process.stdin.once('data', () => process.exit())`,
  )
  const child = spawn(process.execPath, [script], { stdio: 'pipe' })
  t.after(() => child.kill('SIGKILL'))
  const [alive] = await once(child.stderr, 'data')
  equal(String(alive), 'alive')
  let length = 0
  child.stdout.on('data', chunk => {
    length += chunk.length
  })
  child.stdin.write('end')
  const [code] = await once(child, 'close')
  deepEqual([code, length >= 300_000 - 100 && length % 100 === 0], [0, true], `${length} bytes`)
})
test('the lines before the process exits are written, the last one too', async t => {
  const module = fileURLToPath(new URL('../../src/platform/log-output.ts', import.meta.url))
  const script = join(temporaryFolder(t), 'script.ts')
  writeFileSync(
    script,
    `import { logOutput } from ${JSON.stringify(module)}
     const output = logOutput(1, () => {})
     for (let i = 0; i < 3; i++) {
       output.write('line ' + i + '\\n')
       await new Promise(setImmediate)
     }
     output.write('last\\n')
     process.exit()`,
  )
  for (let runs = 0; runs < 5; runs++) {
    const { stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
    deepEqual(stdout.split('\n').sort(), ['', 'last', 'line 0', 'line 1', 'line 2'])
  }
})
