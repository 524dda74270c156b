/**
 * `npm run campaign:deliveries`: plays random sequences of what happens to destinations, and checks what their programs
 * have heard. README.md in this folder says what it proves.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runSequences } from './deliveries/run-sequences.ts'
import { makeFolder } from './follow-up/folder.ts'
import { report, whole } from './report.ts'
import { makeStorage } from './set-up.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
    sequences: { type: 'string', default: '100' },
  },
})
const { engine } = values
if (engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine must be sqlite or postgres')
const options = { engine, seed: whole('seed', values.seed, 1), count: whole('sequences', values.sequences, 1) } as const

const { folder, remove } = makeFolder()
const success = 'nothing was lost, and everything came in order'
const right = await report(options, success, async (t, progress) => {
  const storage = await makeStorage(t, engine, folder)
  return { ...(await runSequences(t, options, { storage, folder }, progress)), folder }
})
if (right) remove()
