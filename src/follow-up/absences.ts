/** Who is away on a day. Days are yyyy-mm-dd in the school's time zone; the last one is included. */
import { notWorking, type StaffAccess } from './working-staff.ts'

type Counselor = { id: string; absent?: readonly { from: string; to: string }[] | undefined }

/** The counselors, and the manager, who are away on a day, each with the last day of their absence. */
export function awayOn(
  day: string,
  counselors: readonly Counselor[],
  recorded: readonly { counselor: string; firstDay: string; lastDay: string }[] = [],
): Map<string, string> {
  const all = [
    ...counselors.flatMap(({ id, absent = [] }) => absent.map(span => ({ id, ...span }))),
    ...recorded.map(({ counselor, firstDay, lastDay }) => ({ id: counselor, from: firstDay, to: lastDay })),
  ]
  const away = new Map<string, string>()
  for (const { id, from, to } of all) {
    const known = away.get(id) ?? ''
    if (from <= day && day <= to && known < to) away.set(id, to)
  }
  return away
}

/** The people on the team who get nothing on a day, because they are away or do not work on leads. */
export const missingOn = (
  day: string,
  { counselors, ...access }: { counselors: readonly Counselor[] } & StaffAccess,
  recorded?: Parameters<typeof awayOn>[2],
): Set<string> => new Set([...awayOn(day, counselors, recorded).keys(), ...notWorking(access)])

export type Gap = { state: string | null; from: string; to: string }

/**
 * The spans of days on which everyone who has a state is away (null: everyone on the team). `away`: who is away on a
 * day. `days` are in order, without gaps.
 */
export function coverageGaps(
  days: readonly string[],
  counselors: readonly { id: string; states?: readonly string[] | undefined }[],
  away: (day: string) => { has(id: string): boolean },
): Gap[] {
  const states = [...new Set(counselors.flatMap(({ states = [] }) => states))].sort()
  const groups = [
    { state: null, people: counselors },
    ...states.map(state => ({ state, people: counselors.filter(one => one.states?.includes(state)) })),
  ]
  const gaps: Gap[] = []
  for (const { state, people } of groups) {
    let open: Gap | undefined
    for (const day of days) {
      const present = away(day)
      if (people.length === 0 || people.some(({ id }) => !present.has(id))) open = undefined
      else if (open !== undefined) open.to = day
      else {
        open = { state, from: day, to: day }
        gaps.push(open)
      }
    }
  }
  return gaps
}
