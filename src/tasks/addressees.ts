/** The people who get a message to the staff: the holders of the roles of a cadence, given who is present today. */
import type { Config } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { holderOf, type StaffRole } from '../follow-up/recipients.ts'
import type { EmailAddress } from '../leads/email.ts'
import type { Lead } from '../leads/lead.ts'
import type { Staff } from '../mail/render-messages.ts'
import type { Store } from '../store/store.ts'

export type Addressee = {
  to: Staff
  /** The id, if it is a counselor. */
  actor: string | undefined
}

export type Addressees = {
  /** The holder of the role for a lead at this moment, or the reason why no one has it. */
  find(lead: Lead, role: StaffRole, now: number): Promise<Addressee | { skip: string }>
  /** The counselor who owns the lead, present or not. */
  owner(lead: Lead): Staff | undefined
  /** The mailbox of the team for this kind of lead. */
  team(kind: Lead['kind']): Staff
}

type Dependencies = {
  config: Pick<Config, 'settings' | 'admissionsEmail' | 'partnershipsEmail'>
  store: Pick<Store, 'listAbsences'>
  calendar: Calendar
}

export function createAddressees({ config, store, calendar }: Dependencies): Addressees {
  const { counselors, manager } = config.settings.admissions
  const counselor = (id: string | null | undefined) => counselors.find(one => one.id === id)

  const team: Addressees['team'] = kind =>
    kind === 'site'
      ? { name: 'Partnerships', address: config.partnershipsEmail }
      : { name: `${config.settings.school.name} Admissions`, address: config.admissionsEmail }

  async function find(lead: Lead, role: StaffRole, now: number) {
    const owner = counselor(lead.owner)
    const away = owner && (await awayOn(calendar.today(now), config.settings, store))
    const present = (id: string) => counselor(id) !== undefined && !away?.has(id)
    const staff = { owner, present, manager: manager !== undefined }
    const holder = holderOf(role, staff)
    if (holder === undefined) return { skip: 'the lead has no counselor to stand in for' }
    const one = 'id' in holder ? counselor(holder.id) : undefined
    if (one !== undefined) return asAddressee(one)
    const to = holder.as === 'manager' && manager ? named(manager) : team(lead.kind)
    return { to, actor: undefined }
  }

  return {
    find,
    owner: lead => {
      const one = counselor(lead.owner)
      return one && named(one)
    },
    team,
  }
}

/** The counselors who are away on a day (yyyy-mm-dd), by the settings and the table of absences. */
async function awayOn(
  day: string,
  settings: Settings,
  store: Pick<Store, 'listAbsences'>,
): Promise<Set<string>> {
  const listed = await store.listAbsences(day)
  return new Set([
    ...awayBySettings(day, settings),
    ...listed.filter(({ firstDay }) => firstDay <= day).map(({ counselor }) => counselor),
  ])
}

/** The counselors who are away on a day (yyyy-mm-dd) according to the settings. */
export const awayBySettings = (day: string, { admissions }: Settings): string[] =>
  admissions.counselors
    .filter(({ absent = [] }) => absent.some(({ from, to }) => from <= day && day <= to))
    .map(({ id }) => id)

const named = ({ name, email }: { name: string; email: EmailAddress }): Staff => ({
  name,
  address: email,
})

const asAddressee = (one: { id: string; name: string; email: EmailAddress }): Addressee => ({
  to: named(one),
  actor: one.id,
})
