/**
 * The second factor that a school requires of some roles (`security.secondFactorFor`): a passkey, or codes from an
 * authenticator app. People without one get a week to set it up, starting with the first page that they open.
 */
import type { Settings } from '../../config/settings.ts'
import { DAY } from '../../platform/time.ts'
import type { Operator } from '../../store/operators/operators.ts'
import type { Store } from '../../store/store.ts'

/** How long someone has to set up a second factor, in milliseconds. */
const TIME_TO_SET_UP = 7 * DAY

type Rule = { security: Pick<Settings['security'], 'secondFactorFor'> }

export const isFactorAsked = ({ security }: Rule, { role }: Pick<Operator, 'role'>): boolean =>
  security.secondFactorFor.includes(role)

/** The deadline for someone to set up a second factor, in Unix milliseconds; undefined if there is none. */
export function factorDue(
  settings: Rule,
  operator: Pick<Operator, 'role' | 'hasSecondFactor' | 'factorAskedAt'>,
  hasPasskey: boolean,
): number | undefined {
  const { hasSecondFactor, factorAskedAt } = operator
  if (!isFactorAsked(settings, operator) || hasSecondFactor || hasPasskey || factorAskedAt === null) return undefined
  return factorAskedAt + TIME_TO_SET_UP
}

/** Begins the week for someone who must set up a second factor, and ends it if their role no longer needs one. */
export async function asksForFactor(
  { store, settings }: { store: Pick<Store, 'askForFactor'>; settings: Rule },
  operator: Operator,
  now: number,
): Promise<Operator> {
  const isAsked = isFactorAsked(settings, operator)
  if (isAsked === (operator.factorAskedAt !== null)) return operator
  const factorAskedAt = isAsked ? now : null
  await store.askForFactor(operator.id, factorAskedAt)
  return { ...operator, factorAskedAt }
}

/** What a list of operators says about an operator's second factor. `day` formats a moment. */
export function factorInWords(
  settings: Rule,
  operator: Operator & { hasPasskey: boolean },
  day: (time: number) => string,
): string {
  if (operator.hasSecondFactor) return 'second factor'
  if (operator.hasPasskey) return 'passkey'
  const due = factorDue(settings, operator, false)
  if (due !== undefined) return `no second factor, asked for until ${day(due)}`
  return isFactorAsked(settings, operator) ? 'no second factor, asked for at the next sign-in' : 'no second factor'
}
