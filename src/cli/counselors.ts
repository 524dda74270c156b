/** `frontdesk counselors`: who looks after prospective students, and when they are away. */
import { Command } from 'commander'
import type { Settings } from '../config/settings.ts'
import { createCalendar } from '../follow-up/calendar.ts'
import type { Absence } from '../store/absences.ts'
import { CommandFailed } from './command-failed.ts'
import { nameOf } from './lead-text.ts'
import { type Format, formatOption, parseDay, parseId, print, printRows } from './output.ts'
import { withStore } from './with-store.ts'

export type Counselor = Settings['admissions']['counselors'][number]

export function counselorsCommand(): Command {
  const command = new Command('counselors').description(
    'who looks after students, and when they are away',
  )
  command
    .command('list')
    .description('list the counselors of the settings, and when each is away next')
    .addOption(formatOption('table'))
    .action(list)
  command
    .command('absences')
    .description('list when they are away, from today on')
    .addOption(formatOption('table'))
    .action(absences)
  command
    .command('absent <counselor>')
    .description('note that a counselor is away: new students go to others')
    .requiredOption('--from <day>', 'the first day: 2026-12-01')
    .option(
      '--to <day>',
      'the last day, which is a day away too; without it, the first is the last',
    )
    .action(absent)
  command
    .command('present <absence>')
    .description('take back a noted absence, by its id')
    .action(present)
  return command
}

/** The counselor of that id. Throws CommandFailed, with those that there are. */
export function findCounselor(id: string, { admissions }: Settings): Counselor {
  const found = admissions.counselors.find(one => one.id === id)
  if (found) return found
  const known = admissions.counselors.map(one => one.id).join(', ')
  throw new CommandFailed(
    `There is no counselor "${id}" in the settings${known ? `; there are: ${known}` : ''}.`,
  )
}

async function list({ format }: { format: Format }): Promise<void> {
  await withAbsences(({ admissions }, away) => {
    const rows = admissions.counselors.map(
      ({ id, name, email, weight = 1, states = [], backup }) => {
        const next = away.find(({ counselor }) => counselor === id)
        return {
          ...{ id, name, email, weight },
          states: states.join(' '),
          backup: backup ?? '',
          away: next ? days(next.firstDay, next.lastDay) : '',
        }
      },
    )
    printRows(rows, format, 'There are no counselors in the settings: the team has all students.')
  })
}

async function absences({ format }: { format: Format }): Promise<void> {
  await withAbsences((settings, away) => {
    const rows = away.map(({ id, counselor, firstDay, lastDay }) => ({
      id: id ?? 'settings',
      counselor,
      name: nameOf(counselor, settings),
      from: firstDay,
      to: lastDay,
    }))
    printRows(rows, format, 'Nobody is away, today or later.')
  })
}

/** Of the settings, without an id, and those noted here; from today on, in their order. */
async function withAbsences(
  work: (settings: Settings, away: (Omit<Absence, 'id'> & { id?: number })[]) => void,
): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const today = createCalendar(settings).today(now)
    const inSettings = settings.admissions.counselors.flatMap(({ id, absent = [] }) =>
      absent
        .filter(({ to }) => to >= today)
        .map(({ from, to }) => ({ counselor: id, firstDay: from, lastDay: to })),
    )
    const away = [...(await store.listAbsences(today)), ...inSettings]
    work(
      settings,
      away.toSorted((one, other) => (one.firstDay < other.firstDay ? -1 : 1)),
    )
  })
}

const days = (from: string, to: string): string => (from === to ? from : `${from} to ${to}`)

async function absent(id: string, options: { from: string; to?: string }): Promise<void> {
  const firstDay = parseDay(options.from)
  const lastDay = parseDay(options.to ?? options.from)
  if (lastDay < firstDay) throw new CommandFailed(`${lastDay} is before ${firstDay}.`)
  await withStore(async (store, { config: { settings }, now }) => {
    const { name } = findCounselor(id, settings)
    if (lastDay < createCalendar(settings).today(now)) {
      throw new CommandFailed(`${lastDay} is over: it would change nothing.`)
    }
    const absence = await store.addAbsence({ counselor: id, firstDay, lastDay })
    print(
      `${name} is away ${days(firstDay, lastDay)} (absence ${absence}); their leads stay theirs.`,
    )
  })
}

async function present(text: string): Promise<void> {
  const id = parseId(text)
  await withStore(async store => {
    if (!(await store.removeAbsence(id))) throw new CommandFailed(`There is no absence ${id}.`)
    print(`Absence ${id} is taken back.`)
  })
}
