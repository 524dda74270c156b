/** `frontdesk follow-up simulate`: the settings tried out on a made-up month. */
import { loadConfig } from '../config/config.ts'
import { createCalendar } from '../follow-up/calendar.ts'
import { type Simulation, simulate } from '../follow-up/simulate.ts'
import { assumptions } from '../follow-up/simulated-people.ts'
import { awayBySettings } from '../tasks/addressees.ts'
import { CommandFailed } from './command-failed.ts'
import { speedRows } from './follow-up.ts'
import { nameOf } from './lead-text.ts'
import { parseLimit, print, table } from './output.ts'
import { terminal } from './terminal.ts'

/** More than a school has in years; it would only take long. */
const MOST_LEADS = 20_000
const MOST_DAYS = 366

type Options = { leads: string; days: string; seed: string; format: 'text' | 'json' }

export async function showSimulation(options: Options): Promise<void> {
  const leads = parseUpTo(options.leads, MOST_LEADS, 'leads')
  const days = parseUpTo(options.days, MOST_DAYS, 'days')
  const seed = parseUpTo(options.seed, 999_999, 'a seed')
  const { settings } = await loadConfig(terminal().env)
  const firstDay = createCalendar(settings).today(Date.now())
  const away = (day: string) => new Set(awayBySettings(day, settings))
  const month = simulate({ settings, leads, days, firstDay, away, seed })
  if (options.format === 'json') {
    return print(JSON.stringify({ leads, days, firstDay, seed, ...month, assumptions }, null, 2))
  }
  const title = `${leads} students, made up, write in within ${days} days from ${firstDay} on (seed ${seed}).`
  const load = month.load.map(({ counselor, leads: students, share }) => ({
    counselor: nameOf(counselor, settings),
    students,
    share: percent(students / leads),
    'by weight': counselor === null ? '' : percent(share),
  }))
  print(
    [
      ...[title, '', 'Messages', table(messageRows(month)), ''],
      ...['Students of each counselor (their own states first, then by weight)', table(load), ''],
      ...['How quickly they were tried and reached', table(speedRows(month)), ''],
      `Letters sent: ${month.letters.sent}. Not sent: ${counts(month.letters.skipped)}.`,
      `What has become of the students: ${counts(month.ends)}.`,
      ...['', 'This rests on assumptions, not on your school:'],
      ...assumptions.map(sentence => `  - ${sentence}`),
    ].join('\n'),
  )
}

function parseUpTo(text: string, most: number, what: string): number {
  const number = parseLimit(text, what)
  if (number > most) throw new CommandFailed(`"${text}" is too large: at most ${most}`)
  return number
}

const messageRows = ({ messages }: Simulation) =>
  Object.entries(messages).map(([to, { min, median, max, total }]) => ({
    to,
    'least a day': min,
    median,
    'most a day': max,
    'in all': total,
  }))

const percent = (share: number): string => `${Math.round(100 * share)} %`

const counts = (numbers: Record<string, number>): string =>
  Object.entries(numbers)
    .toSorted(([, one], [, other]) => other - one)
    .map(([what, number]) => `${number} ${what}`)
    .join(', ') || 'none'
