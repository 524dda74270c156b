/** Who is away on a day. Days are yyyy-mm-dd in the school's time zone; the last one is included. */

type Counselor = {
  id: string
  /** Absences in the settings. */
  absent?: readonly { from: string; to: string }[] | undefined
}

/** An absence that was recorded from the command line. */
type RecordedAbsence = { counselor: string; firstDay: string; lastDay: string }

/** The counselors who are away on a day, each with the last day of their absence. */
export function awayOn(
  day: string,
  counselors: readonly Counselor[],
  recorded: readonly RecordedAbsence[] = [],
): Map<string, string> {
  const all = [
    ...counselors.flatMap(({ id, absent = [] }) => absent.map(span => ({ id, ...span }))),
    ...recorded.map(({ counselor, firstDay, lastDay }) => ({
      ...{ id: counselor, from: firstDay, to: lastDay },
    })),
  ]
  const away = new Map<string, string>()
  for (const { id, from, to } of all) {
    const known = away.get(id) ?? ''
    if (from <= day && day <= to && known < to) away.set(id, to)
  }
  return away
}
