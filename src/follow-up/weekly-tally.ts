/** Adds up the people who wrote in within a week: how many, and how quickly they were reached, by counselor, state, source and answer. */
import { type SpeedSummary, summarize } from './response-times.ts'
import type { SchoolHours } from './school-hours.ts'

export type TalliedLead = {
  kind: 'site' | 'student'
  owner: string | null
  state: string | null
  /** The source or website that brought them. */
  cameFrom: string | null
  /** How a student heard of the school; null for sites and where it is not known. */
  heard: string | null
  createdAt: number
  firstAttemptAt: number | null
  firstContactAt: number | null
  /** Whether someone at the school has tried to reach them, or has done anything else that counts. */
  tried: boolean
}

export type Group = {
  /** What its people have in common; null if it is not known. */
  value: string | null
  leads: number
  tried: number
  /** How quickly they were reached, in school hours and in all hours. */
  reached: { school: SpeedSummary; wall: SpeedSummary }
}

export type Tally = {
  kinds: Record<TalliedLead['kind'], number>
  all: Group
  /** Each list begins with its largest group. */
  byOwner: Group[]
  byState: Group[]
  bySource: Group[]
  /** Students alone: sites are not asked. */
  byHeard: Group[]
}

/** Takes leads in portions, since a week may have very many, and gives the sums of all. */
export function createTally(school: Pick<SchoolHours, 'elapsed'>) {
  const kinds = { site: 0, student: 0 }
  const all = openGroup(null)
  const groups = { owner: new Map(), state: new Map(), cameFrom: new Map(), heard: new Map() } as const satisfies {
    [K in keyof TalliedLead]?: Map<string | null, OpenGroup>
  }
  return {
    add(leads: readonly TalliedLead[]): void {
      for (const lead of leads) {
        kinds[lead.kind] += 1
        const { createdAt, firstContactAt: at } = lead
        // A clock that was set back may have put the contact before the inquiry.
        const wall = at === null ? null : Math.max(0, at - createdAt)
        const inHours = at === null ? null : school.elapsed(createdAt, at)
        const mine = [
          all,
          groupIn(groups.owner, lead.owner),
          groupIn(groups.state, lead.state),
          groupIn(groups.cameFrom, lead.cameFrom),
          ...(lead.kind === 'site' ? [] : [groupIn(groups.heard, lead.heard)]),
        ]
        for (const group of mine) {
          group.leads += 1
          if (lead.tried) group.tried += 1
          if (wall !== null) group.wall.push(wall)
          if (inHours !== null) group.school.push(inHours)
        }
      }
    },
    result: (): Tally => ({
      kinds,
      all: summed(all),
      byOwner: listed(groups.owner),
      byState: listed(groups.state),
      bySource: listed(groups.cameFrom),
      byHeard: listed(groups.heard),
    }),
  }
}

type OpenGroup = { value: string | null; leads: number; tried: number; school: number[]; wall: number[] }

const openGroup = (value: string | null): OpenGroup => ({ value, leads: 0, tried: 0, school: [], wall: [] })

function groupIn(groups: Map<string | null, OpenGroup>, value: string | null): OpenGroup {
  const group = groups.get(value) ?? openGroup(value)
  groups.set(value, group)
  return group
}

const listed = (groups: Map<string | null, OpenGroup>): Group[] =>
  [...groups.values()].toSorted((one, other) => other.leads - one.leads).map(summed)

const summed = ({ school, wall, ...group }: OpenGroup): Group => ({
  ...group,
  reached: { school: summarize(school), wall: summarize(wall) },
})
