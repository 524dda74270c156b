/** Plays sequences one after the other, on services that go on, each with programs and people of its own. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { leadServices } from '../../src/cli/terminal/with-store.ts'
import { buildConfig } from '../../src/config/config.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { TIMEOUT } from '../../src/destinations/send-request.ts'
import { openStore } from '../../src/store/open-store.ts'
import { type Engine, urlOf } from '../../test/support/engines.ts'
import { environment } from '../follow-up/school.ts'
import { Random } from '../random.ts'
import type { CampaignStorage, Cleanup } from '../set-up.ts'
import { audit } from './audit-deliveries.ts'
import { MortalService } from './mortal-service.ts'
import { Office } from './office.ts'
import { Program } from './programs.ts'
import { type Place, Sequence } from './sequence.ts'

const START = Date.parse('2026-11-23T16:30:00Z')

/** The difference between the clocks of two services, in milliseconds. */
const SKEW = 3000

const PROGRAMS = 2

/** How long a program has to respond, in place of the usual limit, in milliseconds. */
const SOON = 300

export type Result = { violations: string[]; table: [what: string, figure: number][] }

/** Plays `count` sequences, with the seeds from `seed` on, and stops after the first with a violation. */
export async function runSequences(
  t: Cleanup,
  { engine, seed, count }: { engine: Engine; seed: number; count: number },
  { storage: { database }, folder }: { storage: CampaignStorage; folder: string },
  report: (line: string) => void,
): Promise<Result> {
  answerSoon(t)
  const time = { now: START }
  const env = { ...environment, DATABASE_URL: urlOf(database), DATA_DIR: folder }
  const settings = checkSettings({ followUp: { student: [], site: [] } })
  const config = buildConfig(env, settings)
  const clock = { now: () => time.now }
  const log = (line: string) => appendFileSync(join(folder, 'log'), line)
  const services = (engine === 'sqlite' ? [0] : [0, SKEW]).map(
    skew => new MortalService(config, { now: () => time.now + skew }, log),
  )
  for (const service of services) {
    await service.start()
    t.after(() => service.close())
  }
  const store = await openStore(database, { clock })
  t.after(() => store.close())
  const office = new Office(await leadServices(store, config), environment.SECRET_KEY)
  const counts = new Map<string, number>()
  const add = (what: string, figure = 1) => counts.set(what, (counts.get(what) ?? 0) + figure)
  const violations: string[] = []
  for (let n = 0; n < count && violations.length === 0; n++) {
    const sequence = await playOne(t, seed + n, { database, time, services, office })
    for (const { what } of sequence.done) add(what)
    const heard = sequence.place.programs.flatMap(one => one.heard)
    add('sequences')
    add('requests', heard.length)
    add('events that were accepted', new Set(heard.filter(one => one.accepted).map(({ id }) => id)).size)
    violations.push(...sequence.violations.map(violation => `seed ${seed + n}: ${violation}`))
    if (violations.length > 0)
      log(
        `${JSON.stringify({ seed: seed + n, done: sequence.done.map(({ what, round, program }) => `${round} ${what} ${program?.id}`), heard: sequence.place.programs.map(one => one.heard) })}\n`,
      )
    if (n % 10 === 9) report(`${n + 1} sequences`)
  }
  return { violations, table: [...counts].sort() }
}

async function playOne(t: Cleanup, seed: number, place: Omit<Place, 'programs'>): Promise<Sequence> {
  const programs = Array.from({ length: PROGRAMS }, () => new Program())
  const random = new Random(seed, 'answers')
  for (const [index, program] of programs.entries()) {
    await program.open(t, random)
    await place.office.add(program, `Program ${seed}.${index}`)
  }
  const sequence = new Sequence(seed, { ...place, programs })
  await sequence.play()
  await audit(sequence)
  for (const program of programs) {
    await place.office.switchOff(program)
    await place.office.remove(program)
  }
  return sequence
}

/** A program that hangs is given up soon. */
function answerSoon(t: Cleanup): void {
  const { timeout } = AbortSignal
  AbortSignal.timeout = wait => timeout.call(AbortSignal, wait === TIMEOUT ? SOON : wait)
  t.after(() => {
    AbortSignal.timeout = timeout
  })
}
