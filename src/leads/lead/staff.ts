/** The people at the school who can have a lead, or act on one, and their names in data and texts. */
import { emailKey } from '../body/email.ts'
import type { Role } from './roles.ts'

/** Means the manager in place of a counselor's id. No counselor may have this id. */
export const MANAGER = 'manager'

/** Means the team when people choose who follows up. In data, a lead of the team has no owner. */
export const TEAM = 'team'

/** The person who acts through a link that went to a whole team. */
export const TEAM_MEMBER = 'someone on the team'

/** A person who acts by a command and does not say who they are. */
export const COMMAND_LINE = 'command line'

/** Why an email that someone has scheduled is not sent. */
export const AUTHOR_LEFT = 'its author has left'

/** The people that the settings name. */
export type Roster = {
  counselors: readonly { id: string; name: string }[]
  manager?: { name: string } | undefined
  /** Who was on the team before, including the last manager if there is none now. */
  former?: readonly FormerMember[] | undefined
}

/** Someone who has left the team, with their last name there: data still contain their id. */
export type FormerMember = { id: string; name: string }

/** The name of a counselor or the manager; undefined if the settings do not name them. */
export const memberName = (id: string, { counselors, manager }: Roster): string | undefined =>
  id === MANAGER ? manager?.name : counselors.find(counselor => counselor.id === id)?.name

/** What someone on the team who is an operator may do in the console: `none` if they cannot sign in. */
export type Access = Role | 'none'

type Team<Person> = { counselors: readonly (Person & { id: string })[]; manager?: Person | undefined }

/** Everyone on the team: the counselors, and the manager if there is one. */
export const peopleOn = <Person>({ counselors, manager }: Team<Person>): (Person & { id: string })[] => [
  ...counselors,
  ...(manager === undefined ? [] : [{ ...manager, id: MANAGER }]),
]

/** The id under which a person with this address owns leads: a counselor's, or `manager`. Otherwise undefined. */
export const ownerIdOf = (email: string, team: Team<{ email: string }>): string | undefined =>
  peopleOn(team).find(one => emailKey(one.email) === emailKey(email))?.id

export const staffIds = (team: Roster): string[] => peopleOn(team).map(({ id }) => id)

/** Who follows up a lead, in words. `Maria Lopez`, `the team`, or `Tom Becker (has left the team)`. */
export const ownerName = (owner: string | null, roster: Roster): string =>
  owner === null ? 'the team' : (memberName(owner, roster) ?? `${actorName(owner, roster)} (has left the team)`)

/** Who acted: a name, even of someone who has left since; or the words in the timeline, such as `command line`. */
export const actorName = (actor: string, roster: Roster): string =>
  memberName(actor, roster) ?? roster.former?.find(({ id }) => id === actor)?.name ?? actor
