/** `npm run campaign`: runs one campaign and reports how it went. CONTRIBUTING.md says what it proves. */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.ts'
import { print, report, whole } from './report.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'postgres' },
    replicas: { type: 'string' },
    keys: { type: 'string', default: '10000' },
    copies: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    connections: { type: 'string', default: '240' },
    every: { type: 'string', default: '1500' },
    quick: { type: 'boolean', default: false },
  },
})
const { engine, quick } = values
if (engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine must be sqlite or postgres')
const options = {
  engine,
  replicas: whole('replicas', values.replicas ?? (engine === 'sqlite' ? '1' : '4'), 1),
  keys: whole('keys', values.keys, 1),
  copies: whole('copies', values.copies, 1),
  seed: whole('seed', values.seed, 1),
  connections: whole('connections', values.connections, 1),
  faultInterval: whole('every', values.every, 1),
  quick,
} as const
if (engine === 'sqlite' && options.replicas > 1) throw new Error('--engine sqlite needs --replicas 1')

if (quick) print('quick: at the end, leases and retries are moved into the past while no replica runs')
await report(options, 'everything happened exactly once', (t, progress) => runCampaign(t, options, progress))
