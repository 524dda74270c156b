/** Who may do what in the console: the one table of actions and roles, and which leads an operator sees. */
import { nameLike } from '../../config/setting-shapes.ts'
import type { Settings } from '../../config/settings.ts'
import { type Role, roles } from '../../leads/lead/roles.ts'
import { COMMAND_LINE, ownerIdOf, TEAM_MEMBER } from '../../leads/lead/staff.ts'
import type { Operator } from '../../store/operators/operators.ts'

const staff = ['admin', 'manager', 'counselor'] as const
const managers = ['admin', 'manager'] as const
const admins = ['admin'] as const

/** The roles that may do each action. An action on a lead also needs `maySee` or `mayWork`. */
export const access = {
  'see leads': roles,
  'work on leads': staff,
  'write to people': staff,
  'correct contact data': staff,
  'merge leads': staff,
  'add leads': staff,
  'edit tags': managers,
  'export leads': managers,
  'export people': managers,
  'import leads': managers,
  'erase people': managers,
  'see quarantine': managers,
  'decide about quarantine': managers,
  'see delivery': managers,
  'repair delivery': managers,
  'edit team': managers,
  'see insight': ['admin', 'manager', 'viewer'],
  'record costs': managers,
  'edit cadence': managers,
  'edit school': managers,
  'see settings': managers,
  'use own account': roles,
  'manage operators': admins,
  'manage destinations': admins,
  'manage sources': admins,
  'manage tokens': admins,
  'schedule exports': admins,
  'see audit log': admins,
} as const satisfies Record<string, readonly Role[]>

export type Action = keyof typeof access

export type SignedIn = Operator & {
  /** The id of the person with the operator's email address in the settings: a counselor's id, or `manager`. */
  counselor: string | undefined
  /** The person's name in a timeline: that id or, without one, their name. */
  actor: string
}

export const may = (operator: Pick<SignedIn, 'role'>, action: Action): boolean =>
  (access[action] as readonly Role[]).includes(operator.role)

type Owned = { owner: string | null; callbackFor?: readonly string[] }

/** A counselor sees their own leads, those that they promised to call, and unassigned ones; everyone else sees all. */
export const maySee = (operator: SignedIn, lead: Owned): boolean =>
  operator.role !== 'counselor' ||
  lead.owner === null ||
  lead.owner === operator.counselor ||
  (operator.counselor !== undefined && (lead.callbackFor ?? []).includes(operator.counselor))

export const mayWork = (operator: SignedIn, lead: Owned): boolean =>
  may(operator, 'work on leads') && maySee(operator, lead)

/** An operator may undo their own action, even if the lead now belongs to someone else. */
export const mayUndo = (operator: SignedIn, lead: Owned, entry: { actor: string | null } | undefined): boolean =>
  mayWork(operator, lead) || (may(operator, 'work on leads') && entry?.actor === operator.actor)

/** The leads that an operator sees: undefined for every lead; otherwise, unassigned leads and those of `owner`. */
export const visibleLeads = (operator: SignedIn): { owner: string | null } | undefined =>
  operator.role === 'counselor' ? { owner: operator.counselor ?? null } : undefined

export function signedIn(operator: Operator, settings: Settings): SignedIn {
  const counselor = ownerIdOf(operator.email, settings.admissions)
  return { ...operator, counselor, actor: counselor ?? actorBesideTeam(operator) }
}

/** If an operator's name is a counselor's id or means someone else, the timeline shows their address instead. */
const actorBesideTeam = ({ name, email }: Operator): string =>
  nameLike.like.test(name) || [TEAM_MEMBER, COMMAND_LINE].includes(name) ? email : name
