/** Adds up a week's people: how many, and how quickly they were reached, by counselor, state, source and answer. */
import type { Calendar } from './calendar.ts'
import { contactTime, createSpeed, type Speed } from './times-to-reach.ts'

export type TalliedLead = {
  kind: 'site' | 'student'
  owner: string | null
  state: string | null
  /** The source or website that brought them. */
  cameFrom: string | null
  /** How a student heard of the school; null for sites and where it is not known. */
  heard: string | null
  createdAt: number
  firstContactAt: number | null
  /** Whether someone at the school has tried to reach them, or has done anything else that counts. */
  tried: boolean
}

export type Group = {
  /** What the people of the group have in common; null if it is not known. */
  value: string | null
  leads: number
  tried: number
  reached: Speed
}

export type Tally = {
  kinds: Record<TalliedLead['kind'], number>
  all: Group
  /** In each list, the largest group comes first. */
  byOwner: Group[]
  byState: Group[]
  bySource: Group[]
  /** Students only, since sites are not asked. */
  byHeard: Group[]
}

/** Reads leads in portions, since a week may have very many, and returns the sums of all. */
export function createTally(calendar: Pick<Calendar, 'zone' | 'school'>) {
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
        const took = at === null ? undefined : contactTime(calendar, createdAt, at)
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
          if (took !== undefined) group.reached.add(took)
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

type OpenGroup = { value: string | null; leads: number; tried: number; reached: ReturnType<typeof createSpeed> }

const openGroup = (value: string | null): OpenGroup => ({ value, leads: 0, tried: 0, reached: createSpeed() })

function groupIn(groups: Map<string | null, OpenGroup>, value: string | null): OpenGroup {
  const group = groups.get(value) ?? openGroup(value)
  groups.set(value, group)
  return group
}

const listed = (groups: Map<string | null, OpenGroup>): Group[] =>
  [...groups.values()].toSorted((one, other) => other.leads - one.leads).map(summed)

const summed = ({ reached, ...group }: OpenGroup): Group => ({ ...group, reached: reached.result(group.leads) })
