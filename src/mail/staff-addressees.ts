/** The people who get a message to the staff: who fills the roles of a cadence, depending on who is present today. */
import type { Config } from '../config/config.ts'
import { awayOn, missingOn } from '../follow-up/absences.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { type Holder, holderOf, type StaffRole } from '../follow-up/recipients.ts'
import { worksOnLeads } from '../follow-up/working-staff.ts'
import { type EmailAddress, emailKey } from '../leads/body/email.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { Lead } from '../leads/lead/lead.ts'
import { MANAGER } from '../leads/lead/staff.ts'
import type { Store } from '../store/store.ts'
import type { Absence } from '../store/team/absences.ts'
import type { StaffMember } from './message-definition.ts'

export type Addressee = {
  to: StaffMember
  /** The counselor's id, or `manager`; undefined if it is a team. */
  actor: string | undefined
}

/** The person who gets the messages for an owner who is away, and the last day of the absence, yyyy-mm-dd. */
export type StandIn = { name: string; until: string }

export type Addressees = {
  /**
   * The person who fills the role for a lead at this moment, or the reason why no one does. `last`: this is the last
   * reminder of the cadence. A site's reminders go to the owner if someone chose one, but the last one goes to the
   * team, so that someone else sees that no one has responded. Default: false. `absences`: the absences from that day
   * on, if the caller has read them already.
   */
  find(
    lead: Pick<Lead, 'owner' | 'kind'>,
    role: StaffRole,
    now: number,
    options?: { last?: boolean; absences?: readonly Absence[] | undefined },
  ): Promise<Addressee | { skip: string }>
  /** The counselor or the manager who owns the lead, whether present or not; undefined if the team has it. */
  owner(lead: Lead): StaffMember | undefined
  /**
   * The member of the staff with this id: a counselor's, `manager`, or null for the team of this kind of lead. Finds
   * them even if they are away; undefined for someone who has left the team, or does not work on leads.
   */
  member(id: string | null, kind: Kind): Addressee | undefined
  /**
   * Whether the links in emails work for the member of the staff with this id. A counselor works on their own leads,
   * those that they promised to call, and the team's, as in the console; and, by links only, on those of people whose
   * backup they are.
   */
  worksOn(id: string, lead: Pick<Lead, 'owner' | 'callbackFor'>): boolean
  /** The counselor, the manager or the team for this kind of lead with this address. */
  staffAt(address: string, kind: Kind): StaffMember | undefined
  /** Who gets the messages for the owner of a lead who is away today; undefined if they are not. */
  standIn(lead: Pick<Lead, 'owner' | 'kind'>, now: number): Promise<StandIn | undefined>
  team(kind: Kind): StaffMember
  /** Who gets the messages for the manager at this moment: the manager or, without one or during an absence, the team. */
  manager(kind: Kind, now: number): Promise<Addressee>
  /** Who is notified that a message about the lead does not reach `address`: the team, otherwise the manager. */
  otherMailbox(lead: Lead, address: string): Addressee | undefined
}

type AddresseeSources = {
  config: Pick<Config, 'settings' | 'admissionsEmail' | 'partnershipsEmail'>
  store: Pick<Store, 'listAbsences'>
  calendar: Calendar
}

/** The mailbox of the team for this kind of lead. */
export const teamOf = (
  kind: Kind,
  config: Pick<Config, 'settings' | 'admissionsEmail' | 'partnershipsEmail'>,
): StaffMember =>
  kind === 'site'
    ? { name: 'Partnerships', address: config.partnershipsEmail }
    : { name: `${config.settings.school.name} Admissions`, address: config.admissionsEmail }

export function createAddressees({ config, store, calendar }: AddresseeSources): Addressees {
  const { admissions } = config.settings

  const team: Addressees['team'] = kind => teamOf(kind, config)

  const works = (id: string) => worksOnLeads(id, admissions)

  const member: Addressees['member'] = (id, kind) => {
    if (id === null) return { to: team(kind), actor: undefined }
    if (!works(id)) return undefined
    const one = id === MANAGER ? admissions.manager : admissions.counselors.find(counselor => counselor.id === id)
    return one && { to: { name: one.name, address: one.email as EmailAddress }, actor: id }
  }

  const worksOn: Addressees['worksOn'] = (id, { owner, callbackFor }) => {
    const role = admissions.access?.[id] ?? (id === MANAGER ? 'manager' : 'counselor')
    const callers = [owner, ...callbackFor]
    const isBackup = admissions.counselors.some(one => one.backup === id && callers.includes(one.id))
    return ['admin', 'manager'].includes(role) || owner === null || callers.includes(id) || isBackup
  }

  const hasManager = () => admissions.manager !== undefined && works(MANAGER)

  /** The owner as someone who can fill a role; undefined if the owner is no longer in the settings. */
  function ownerOf({ owner }: Pick<Lead, 'owner'>) {
    if (owner === MANAGER) return hasManager() ? { id: MANAGER, isManager: true } : undefined
    return admissions.counselors.find(({ id }) => id === owner)
  }

  const find: Addressees['find'] = async (lead, role, now, { last = false, absences } = {}) => {
    const owner = ownerOf(lead)
    const today = calendar.today(now)
    const missing = missingOn(today, admissions, absences ?? (await store.listAbsences(today)))
    const holder = holderOf(role, {
      owner,
      present: id => admissions.counselors.some(one => one.id === id) && !missing.has(id),
      manager: admissions.manager !== undefined && !missing.has(MANAGER),
      ownerForTeam: lead.kind === 'site' && !last,
    })
    if (holder === undefined) return { skip: 'the lead has no counselor to stand in for' }
    return member(idOf(holder), lead.kind) ?? { to: team(lead.kind), actor: undefined }
  }

  const manager: Addressees['manager'] = async (kind, now) => {
    const found = await find({ owner: null, kind }, 'manager', now)
    return 'to' in found ? found : { to: team(kind), actor: undefined }
  }

  const staffAt: Addressees['staffAt'] = (address, kind) =>
    [...admissions.counselors.map(({ id }) => id), MANAGER, null]
      .flatMap(id => member(id, kind)?.to ?? [])
      .find(to => emailKey(to.address) === emailKey(address))

  async function standIn(lead: Pick<Lead, 'owner' | 'kind'>, now: number): Promise<StandIn | undefined> {
    const today = calendar.today(now)
    const absences = await store.listAbsences(today)
    const owner = lead.owner ?? ''
    const until = works(owner) ? awayOn(today, admissions.counselors, absences).get(owner) : undefined
    const found = until === undefined ? undefined : await find(lead, 'counselor', now, { absences })
    return until !== undefined && found && 'to' in found ? { name: found.to.name, until } : undefined
  }

  return {
    find,
    standIn,
    owner: lead => ownerOf(lead) && member(lead.owner, lead.kind)?.to,
    member,
    worksOn,
    staffAt,
    team,
    manager,
    otherMailbox: ({ kind }, address) =>
      [null, MANAGER]
        .flatMap(id => member(id, kind) ?? [])
        .find(({ to }) => emailKey(to.address) !== emailKey(address)),
  }
}

function idOf(holder: Holder): string | null {
  if ('id' in holder) return holder.id
  return holder.as === 'manager' ? MANAGER : null
}
