/** `frontdesk counselors`: the counselors in the settings, and when they and the manager are away. */
import { Command } from 'commander'
import type { Settings } from '../../config/settings.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import { whyNotWorking, worksOnLeads } from '../../follow-up/working-staff.ts'
import { MANAGER } from '../../leads/lead/staff.ts'
import type { Absence } from '../../store/team/absences.ts'
import { auditEntries, type By, byOption } from '../terminal/actor.ts'
import { formatOption, parseDay, parseId } from '../terminal/arguments.ts'
import { type Format, print, printRows } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { withStore } from '../terminal/with-store.ts'
import { nameOf } from './lead-as-text.ts'

export type Counselor = Settings['admissions']['counselors'][number]

export function counselorsCommand(): Command {
  const command = new Command('counselors').description('list the counselors, and record when they are away')
  command
    .command('list')
    .description('list the counselors in the settings, each with their next absence')
    .addOption(formatOption('table', 'json', 'csv'))
    .action(list)
  command
    .command('absences')
    .description('list the absences that end today or later')
    .addOption(formatOption('table', 'json', 'csv'))
    .action(absences)
  command
    .command('absent <counselor>')
    .description('record an absence of a counselor or of the manager: others get what would go to them')
    .requiredOption('--from <day>', 'the first day of the absence, YYYY-MM-DD')
    .option('--to <day>', 'the last day of the absence (default: the first day)')
    .addOption(byOption('the audit log'))
    .action(absent)
  command
    .command('present <absence>')
    .description('delete a recorded absence, by its id')
    .addOption(byOption('the audit log'))
    .action(present)
  return command
}

/** The counselor with that id. Throws CommandFailed, which names the ids that exist. */
export function findCounselor(id: string, { admissions }: Settings): Counselor {
  const found = admissions.counselors.find(counselor => counselor.id === id)
  if (found) return found
  const ids = admissions.counselors.map(counselor => counselor.id).join(', ')
  throw new CommandFailed(`Counselor "${id}" is not in the settings${ids ? `; use one of: ${ids}` : ''}.`)
}

async function list({ format }: { format: Format }): Promise<void> {
  await withAbsences(({ admissions }, away) => {
    const rows = admissions.counselors.map(
      ({ id, name, email, weight = 1, states = [], programs = [], campuses = [], backup }) => {
        const next = away.find(({ counselor }) => counselor === id)
        return {
          id,
          name,
          email,
          weight,
          states: states.join(' '),
          programs: programs.join('; '),
          campuses: campuses.join('; '),
          backup: backup ?? '',
          away: worksOnLeads(id, admissions)
            ? next
              ? days(next.firstDay, next.lastDay)
              : ''
            : whyNotWorking(id, admissions),
        }
      },
    )
    printRows(rows, format, 'The settings name no counselors: the team gets all students.', { optional: ['campuses'] })
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
    printRows(rows, format, 'No one is away today or later.')
  })
}

/** Passes on the absences that end today or later, by their first day. Absences in the settings have no id. */
async function withAbsences(
  work: (settings: Settings, away: (Omit<Absence, 'id' | 'createdBy'> & { id?: number })[]) => void,
): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const today = createCalendar(settings).today(now)
    const inSettings = settings.admissions.counselors.flatMap(({ id, absent = [] }) =>
      absent.filter(({ to }) => to >= today).map(({ from, to }) => ({ counselor: id, firstDay: from, lastDay: to })),
    )
    const away = [...(await store.listAbsences(today)), ...inSettings]
    work(
      settings,
      away.toSorted((one, other) => (one.firstDay < other.firstDay ? -1 : 1)),
    )
  })
}

const days = (from: string, to: string): string => (from === to ? from : `${from} to ${to}`)

async function absent(id: string, options: By & { from: string; to?: string }): Promise<void> {
  const firstDay = parseDay(options.from)
  const lastDay = parseDay(options.to ?? options.from)
  if (lastDay < firstDay) throw new CommandFailed(`--to ${lastDay} is before --from ${firstDay}.`)
  await withStore(async (store, { config: { settings }, now }) => {
    const { manager } = settings.admissions
    const { name } = id === MANAGER && manager ? manager : findCounselor(id, settings)
    if (lastDay < createCalendar(settings).today(now)) {
      throw new CommandFailed(`${lastDay} is in the past; an absence must end today or later.`)
    }
    const detail = `${name}, ${days(firstDay, lastDay)}`
    const audit = auditEntries(store, settings, { by: options.by, action: 'recorded an absence', detail })
    const absence = await store.addAbsence({ counselor: id, firstDay, lastDay, audit })
    print(`${name} is away ${days(firstDay, lastDay)} (absence ${absence}). Their current leads stay with them.`)
  })
}

async function present(text: string, { by }: By): Promise<void> {
  const id = parseId(text)
  await withStore(async (store, { config: { settings } }) => {
    const audit = auditEntries(store, settings, { by, action: 'deleted an absence', detail: `absence ${id}` })
    if (!(await store.removeAbsence(id, audit))) throw new CommandFailed(`Absence ${id} does not exist.`)
    print(`Absence ${id} has been deleted.`)
  })
}
