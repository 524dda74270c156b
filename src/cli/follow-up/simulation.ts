/** `frontdesk follow-up simulate`: tries the settings on a simulated month. */
import { missingOn } from '../../follow-up/absences.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import { type Simulation, simulate } from '../../follow-up/simulate.ts'
import { assumptions } from '../../follow-up/simulated-people.ts'
import { share } from '../../leads/body/tidy-text.ts'
import { nameOf } from '../leads/lead-as-text.ts'
import { parseLimit } from '../terminal/arguments.ts'
import { print } from '../terminal/output.ts'
import { table } from '../terminal/table.ts'
import { configInForce } from '../terminal/with-store.ts'
import { speedData, speedRows } from './speed.ts'

/** More students than a school has in years. A larger simulation would not show more; it would only take longer. */
const MOST_LEADS = 20_000
const MOST_DAYS = 366
const MOST_SEED = 999_999

type Options = { leads: string; days: string; seed: string; format: 'text' | 'json' }

export async function showSimulation(options: Options): Promise<void> {
  const leads = parseLimit(options.leads, 'number of leads', MOST_LEADS)
  const days = parseLimit(options.days, 'number of days', MOST_DAYS)
  const seed = parseLimit(options.seed, 'seed', MOST_SEED)
  const { settings } = await configInForce()
  const firstDay = createCalendar(settings).today(Date.now())
  const away = (day: string) => missingOn(day, settings.admissions)
  const month = simulate({ settings, leads, days, firstDay, away, seed })
  if (options.format === 'json') {
    const speed = { attempt: speedData(month.attempt), contact: speedData(month.contact) }
    return print(JSON.stringify({ leads, days, firstDay, seed, ...month, ...speed, assumptions }, null, 2))
  }
  const load = month.load.map(({ counselor, leads: students, share: weight }) => ({
    counselor: nameOf(counselor, settings),
    students,
    share: share(students, leads),
    'by weight': counselor === null ? '' : share(weight, 1),
  }))
  print(
    [
      `${leads} simulated students write within ${days} days from ${firstDay} on (seed ${seed}).`,
      '',
      'Messages',
      table(messageRows(month)),
      '',
      'Students of each counselor (their own states first, then by weight)',
      table(load),
      '',
      'How quickly students were called and reached',
      table([...speedRows('first call', month.attempt), ...speedRows('reached', month.contact)]),
      '',
      `Follow-up emails sent: ${month.letters.sent}. Not sent: ${counts(month.letters.skipped, reason => `because ${reason}`)}.`,
      `Outcomes: ${counts(month.ends, end => endWords[end] ?? end)}.`,
      '',
      'The numbers rest on these assumptions, not on data from your school:',
      ...assumptions.map(sentence => `  - ${sentence}`),
    ].join('\n'),
  )
}

const messageRows = ({ messages }: Simulation) =>
  Object.entries(messages).map(([to, { min, median, max, total }]) => ({
    to,
    'fewest a day': min,
    median,
    'most a day': max,
    total,
  }))

/** Outcomes that have a different name in the data. */
const endWords: Record<string, string> = { contacted: 'reached', new: 'still open' }

/** Such as `12 reached, 3 still open`, the largest number first. */
const counts = (numbers: Record<string, number>, inWords: (name: string) => string): string =>
  Object.entries(numbers)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, number]) => `${number} ${inWords(name)}`)
    .join(', ') || 'none'
