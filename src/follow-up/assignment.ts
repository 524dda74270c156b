/** Which counselor looks after a student. */
import type { Settings } from '../config/settings.ts'

export type Counselor = {
  id: string
  /** How large a share of the students is theirs; 0 for none but those of their own states. */
  weight: number
  /** The codes of the states that are theirs. */
  states: readonly string[]
}

/** The counselors of the settings, with what they may leave out. */
export const counselorsOf = ({ admissions }: Pick<Settings, 'admissions'>): Counselor[] =>
  admissions.counselors.map(({ id, weight = 1, states = [] }) => ({ id, weight, states }))

/**
 * Who is owed how much by the turns so far: `${pool} ${counselor id}` to a credit, where a credit
 * that is missing is 0. The pool is `all` or the code of a state.
 */
export type Turns = ReadonlyMap<string, number>

export type Assignment = {
  /** The id; undefined where the team has to look after the student. */
  counselor: string | undefined
  /** In words for the timeline. */
  reason: string
  /** The credits that have changed. */
  turns: Map<string, number>
}

/**
 * A state belongs to those who have it as their own; otherwise everybody with a weight has turns.
 * Only those who are present are chosen. Of several, the turn is the next by weight.
 */
export function assign({
  state,
  counselors,
  present,
  turns,
}: {
  state: string | null
  counselors: readonly Counselor[]
  present: (id: string) => boolean
  turns: Turns
}): Assignment {
  const nobody = { counselor: undefined, turns: new Map() }
  if (counselors.length === 0) return { ...nobody, reason: 'there are no counselors' }
  if (!counselors.some(({ id }) => present(id)))
    return { ...nobody, reason: 'no counselor is available' }

  const territory = counselors
    .filter(({ states }) => state !== null && states.includes(state))
    .map(counselor => ({ ...counselor, weight: counselor.weight || 1 }))
  const own = state === null ? undefined : nextTurn(state, territory, present, turns)
  if (own) return { ...own, reason: `territory ${state}` }

  const everybody = counselors.filter(({ weight }) => weight > 0)
  const next = nextTurn('all', everybody, present, turns)
  if (next) return { ...next, reason: 'next in turn' }
  return { ...nobody, reason: 'no counselor who takes turns is available' }
}

/**
 * Smooth weighted round robin, as in nginx: each one present is owed their weight more, the one who
 * is owed most (the first of equals) has the turn and pays for all. So nobody is ever a whole turn
 * ahead of their share, and turns are spread evenly. Who is absent keeps what they are owed.
 */
function nextTurn(
  pool: string,
  members: readonly Counselor[],
  present: (id: string) => boolean,
  turns: Turns,
): { counselor: string; turns: Map<string, number> } | undefined {
  // More than two rounds are owed to nobody: they come from weights that have been changed since.
  const most = 2 * sum(members.map(({ weight }) => weight))
  const owed = members
    .filter(({ id }) => present(id))
    .map(({ id, weight }) => {
      const key = `${pool} ${id}`
      return { id, key, weight, credit: within(most, turns.get(key) ?? 0) + weight }
    })
  const [first, ...others] = owed
  if (first === undefined) return undefined
  const chosen = others.reduce((best, one) => (one.credit > best.credit ? one : best), first)
  chosen.credit -= sum(owed.map(({ weight }) => weight))
  const changed = owed.filter(({ key, credit }) => credit !== (turns.get(key) ?? 0))
  return { counselor: chosen.id, turns: new Map(changed.map(({ key, credit }) => [key, credit])) }
}

const within = (most: number, credit: number): number => Math.max(-most, Math.min(most, credit))

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
