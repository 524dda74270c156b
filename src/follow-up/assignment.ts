/**
 * Chooses the counselor for a new student, by language, campus, program, territory and weight. A counselor who had this
 * student before comes first, which `store/filing/owner-assignment.ts` handles.
 */

export type Counselor = {
  id: string
  /** Their share of the students, relative to others'. With 0: only those of their campuses, programs and states. */
  weight: number
  /** The codes of the states whose students go to them. */
  states: readonly string[]
  /** The programs whose students go to them, by their names in the school's first language. */
  programs: readonly string[]
  /** The campuses whose students go to them, by their names in the school's first language. */
  campuses: readonly string[]
  /** The languages that they speak besides the school's first. */
  languages: readonly string[]
}

export type AssignmentSettings = {
  /** The languages of the school. Every counselor speaks the first one. */
  languages: readonly string[]
  admissions: { counselors: readonly ({ id: string } & Partial<Omit<Counselor, 'id'>>)[] }
}

/** The counselors in the settings, with defaults for what an entry leaves out. */
export const counselorsOf = ({ admissions, languages: [first] }: AssignmentSettings): Counselor[] =>
  admissions.counselors.map(({ id, weight = 1, states = [], programs = [], campuses = [], languages = [] }) => ({
    id,
    weight,
    states,
    programs,
    campuses,
    languages: languages.filter(one => one !== first),
  }))

/**
 * How much each counselor is owed after the turns so far: `${pool} ${counselor id}` to a credit; a missing credit is 0.
 * The pool is `all`, or the code of a state, a program or a campus.
 */
export type Turns = ReadonlyMap<string, number>

export type Assignment = {
  /** The id of the counselor; undefined if the student goes to the team. */
  counselor: string | undefined
  /** A phrase for the timeline. */
  reason: string
  /** Whether they were chosen because they speak the student's language, are at the student's campus, or both. */
  speaks: boolean
  atCampus: boolean
  /** The credits that changed. */
  turns: Map<string, number>
}

type Choice = {
  state: string | null
  /** The program that the student is most interested in; null for none. */
  program: string | null
  /** The campus that the student chose; null if they chose none. */
  campus: string | null
  /** The language that the student chose; null if they chose none. */
  language: string | null
  counselors: readonly Counselor[]
  present: (id: string) => boolean
  turns: Turns
}

/**
 * Chooses in this order. A student who chose a language goes to a counselor who speaks it, and a student who chose a
 * campus to a counselor of that campus, if there is one. If no counselor fits both, the language decides. Among these
 * counselors, or among all if there are none, a student goes to a counselor who has the student's program; otherwise,
 * to one who has the student's state; otherwise, to one with a weight. Only counselors who are present are chosen.
 * Several share their students in turn, by weight.
 */
export function assign({ language, campus, ...choice }: Choice): Assignment {
  const { counselors, present } = choice
  const speaks = (one: Counselor) => language !== null && one.languages.includes(language)
  const isThere = (one: Counselor) => campus !== null && one.campuses.includes(campus)
  const preferred = [
    { those: counselors.filter(one => speaks(one) && isThere(one)), speaks: true, atCampus: true },
    { those: counselors.filter(speaks), speaks: true, atCampus: false },
    { those: counselors.filter(isThere), speaks: false, atCampus: true },
  ]
  for (const { those, ...why } of preferred) {
    const ids = new Set(those.map(({ id }) => id))
    const chosen = choose(
      { ...choice, present: id => ids.has(id) && present(id) },
      why.atCampus && campus !== null ? { name: campusPool(campus), theirs: isThere } : undefined,
    )
    if (chosen.counselor !== undefined) return { ...chosen, ...why }
  }
  return { ...choose(choice), speaks: false, atCampus: false }
}

/** `campus`: the pool in which the counselors of a campus take turns, regardless of their share of other students. */
function choose(
  { state, program, counselors, present, turns }: Omit<Choice, 'language' | 'campus'>,
  campus?: { name: string; theirs: (one: Counselor) => boolean },
): Omit<Assignment, 'speaks' | 'atCampus'> {
  const noOne = { counselor: undefined, turns: new Map() }
  if (counselors.length === 0) return { ...noOne, reason: 'there are no counselors' }
  if (!counselors.some(({ id }) => present(id))) return { ...noOne, reason: 'no counselor is available' }

  /** Takes turns among counselors who share a campus, a program or a state, whatever their share of other students. */
  const among = (pool: string, theirs: (one: Counselor) => boolean) =>
    nextTurn(
      pool,
      counselors.filter(theirs).map(counselor => ({ ...counselor, weight: counselor.weight || 1 })),
      present,
      turns,
    )
  const teaches = program === null ? undefined : among(programPool(program), one => one.programs.includes(program))
  if (teaches) return { ...teaches, reason: `program ${program}` }
  const own = state === null ? undefined : among(state, one => one.states.includes(state))
  if (own) return { ...own, reason: `territory ${state}` }

  const there = campus && among(campus.name, campus.theirs)
  if (there) return { ...there, reason: 'next in turn' }
  const rotation = counselors.filter(({ weight }) => weight > 0)
  const next = nextTurn('all', rotation, present, turns)
  if (next) return { ...next, reason: 'next in turn' }
  return { ...noOne, reason: 'no counselor who takes turns is available' }
}

/** Encoded, because the name of a pool must not contain spaces. */
const programPool = (program: string): string => `program:${encodeURIComponent(program)}`

const campusPool = (campus: string): string => `campus:${encodeURIComponent(campus)}`

/**
 * Smooth weighted round robin, as in nginx: the credit of each member present grows by their weight; the one with the
 * largest credit (the first of equals) gets the turn and pays the sum of these weights. So no one is ever a whole
 * turn ahead of their share, and turns are spread evenly. An absent member keeps their credit.
 */
function nextTurn(
  pool: string,
  members: readonly Counselor[],
  present: (id: string) => boolean,
  turns: Turns,
): { counselor: string; turns: Map<string, number> } | undefined {
  // A credit of more than two rounds comes from weights that have since changed.
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
