/**
 * `npm run campaign:follow-up`: simulates a month of leads with kills, jumping clocks and failing mail,
 * and reports how it went. CONTRIBUTING.md says what it proves.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { makeFolder } from './follow-up/folder.ts'
import { runMonth } from './follow-up/simulation.ts'
import { report, whole } from './report.ts'
import { makeStorage } from './set-up.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    leads: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
    replicas: { type: 'string' },
    kills: { type: 'string', default: '40' },
    pace: { type: 'string', default: '1' },
  },
})
const { engine } = values
if (engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine must be sqlite or postgres')
const options = {
  engine,
  leads: whole('leads', values.leads, 0),
  seed: whole('seed', values.seed, 0),
  replicas: whole('replicas', values.replicas ?? (engine === 'sqlite' ? '1' : '2'), 0),
  kills: whole('kills', values.kills, 0),
  pace: whole('pace', values.pace, 0),
} as const
if (engine === 'sqlite' && options.replicas > 1) throw new Error('--engine sqlite needs --replicas 1')

const { folder, remove } = makeFolder()
const success = 'everything that was due happened once, and nothing else did'
const right = await report(options, success, async (t, progress) => {
  const storage = await makeStorage(t, engine, folder)
  return { ...(await runMonth(options, { storage, folder }, progress)), folder }
})
if (right) remove()
