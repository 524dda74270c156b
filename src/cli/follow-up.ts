/** `frontdesk follow-up`: what will happen to a lead, what the settings mean, how quick the school is. */
import { Command, Option } from 'commander'
import { createCalendar } from '../follow-up/calendar.ts'
import { type SpeedSummary, summarize } from '../follow-up/response-times.ts'
import type { Kind } from '../leads/submission.ts'
import { CommandFailed } from './command-failed.ts'
import { showPlan } from './follow-up-plan.ts'
import { showSimulation } from './follow-up-simulation.ts'
import { duration, moment, parseTime, print, type Row, table } from './output.ts'
import { withStore } from './with-store.ts'

/** Of more leads than this, percentiles would take too much memory. */
const MOST = 200_000

const formatOption = () =>
  new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text')

export function followUpCommand(): Command {
  const command = new Command('follow-up').description('what happens to leads, when and why')
  command
    .command('plan <lead>')
    .description('show what has happened to a lead, what will, and what stops it')
    .addOption(formatOption())
    .action(showPlan)
  command
    .command('simulate')
    .description('try the settings out on a made-up month of students')
    .option('--leads <n>', 'how many students write in', '400')
    .option('--days <n>', 'within how many days, from today on', '30')
    .option('--seed <n>', 'another number makes another month', '1')
    .addOption(formatOption())
    .action(showSimulation)
  command
    .command('speed')
    .description('tell how quickly people were tried and reached')
    .addOption(new Option('--kind <kind>').choices(['student', 'site']).default('student'))
    .option('--since <time>', 'who wrote in since: 2026-11-21, 2026-11-21T08:00Z, 7d, 12h', '30d')
    .addOption(formatOption())
    .action(showSpeed)
  return command
}

type SpeedOptions = { kind: Kind; since: string; format: 'text' | 'json' }

async function showSpeed({ kind, since: text, format }: SpeedOptions): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const since = parseTime(text, now)
    const leads = await store.readResponses({ kind, since, limit: MOST + 1 })
    if (leads.length > MOST) {
      throw new CommandFailed(`More than ${MOST} wrote in since then: name a later --since.`)
    }
    const { school } = createCalendar(settings)
    const speedOf = (field: 'firstAttemptAt' | 'firstContactAt') => {
      const answers = leads.flatMap(({ createdAt, [field]: at }) => (at ? [{ createdAt, at }] : []))
      return {
        business: summarize(answers.map(({ createdAt, at }) => school.elapsed(createdAt, at))),
        wall: summarize(answers.map(({ createdAt, at }) => Math.max(0, at - createdAt))),
      }
    }
    const waiting = leads.filter(({ stage, firstAttemptAt }) => stage === 'new' && !firstAttemptAt)
    const oldest = waiting.at(-1)?.createdAt ?? null
    const speed = {
      leads: leads.length,
      attempt: speedOf('firstAttemptAt'),
      contact: speedOf('firstContactAt'),
      waiting: { count: waiting.length, since: oldest && moment(oldest) },
    }
    if (format === 'json') return print(JSON.stringify(speed, null, 2))
    const longest = oldest && `, the longest since ${moment(oldest)} (${duration(now - oldest)})`
    print(
      [
        `Since ${moment(since)}, ${speed.leads} wrote in (${kind}).`,
        '',
        table(speedRows(speed)),
        '',
        waiting.length === 0
          ? 'Nobody waits for a first attempt.'
          : `Still waiting for a first attempt: ${waiting.length}${longest}.`,
      ].join('\n'),
    )
  })
}

type Speed = { business: SpeedSummary; wall: SpeedSummary }

/** First attempt and first contact, each in opening hours and by the clock, as rows of a table. */
export const speedRows = ({ attempt, contact }: { attempt: Speed; contact: Speed }): Row[] => [
  speedRow('first attempt, opening hours', attempt.business),
  speedRow('first attempt, all hours', attempt.wall),
  speedRow('first contact, opening hours', contact.business),
  speedRow('first contact, all hours', contact.wall),
]

const speedRow = (what: string, { count, p50, p95, bands }: SpeedSummary): Row => ({
  'time to': what,
  count,
  'half within': p50 === null ? '' : duration(p50),
  '95 % within': p95 === null ? '' : duration(p95),
  ...Object.fromEntries(bands.map(band => [band.label, band.count])),
})
