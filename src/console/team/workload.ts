/** How much work everyone on the team has. */
import { type Cadence, stepsOn } from '../../follow-up/cadence.ts'
import type { StepHours } from '../../follow-up/opening-hours.ts'
import { dueAt } from '../../follow-up/schedule.ts'
import { statesWith } from '../../leads/body/states.ts'
import { counted, inDigits } from '../../leads/body/tidy-text.ts'
import { memberName } from '../../leads/lead/staff.ts'
import { DAY, dayParts, SECOND } from '../../platform/time.ts'
import type { Duties, LateBefore, Workload } from '../../store/team/workloads.ts'
import type { ConsoleDeps } from '../frame/context.ts'

/** How far back to look for the moment of `lateBefore`, in milliseconds: longer than a school is ever closed. */
const LONGEST = 30 * DAY

/**
 * For each area and best time to call: the latest moment at which someone must have written for their first reminder to
 * be due by now. The staff should already have tried to reach everyone who wrote before it.
 */
export function lateBefore({ settings, calendar }: ConsoleDeps, now: number): LateBefore {
  const cadence: Cadence = settings.followUp.student
  const [first] = stepsOn(cadence, 'staff')
  if (first === undefined) return []
  const momentIn = (hours: StepHours): number => {
    let [early, late] = [now - LONGEST, now]
    while (late - early > SECOND) {
      const start = Math.round((early + late) / 2)
      if (dueAt(cadence, first, { start }, hours) < now) early = start
      else late = start
    }
    return early
  }
  const known = new Map<StepHours, number>()
  return calendar.areasOf([...statesWith(settings.studentInterest.states).values(), null]).flatMap(({ area, place }) =>
    [null, ...dayParts].map(bestTime => {
      // Many areas have the same hours, so each moment is computed once.
      const hours = calendar.hoursFor({ ...place, bestTime })
      const before = known.get(hours) ?? momentIn(hours)
      known.set(hours, before)
      return { area, bestTime, before }
    }),
  )
}

export type TeamWorkloads = {
  of(id: string): Workload | undefined
  /** The people who have leads, but are not on the team. */
  former: Workload[]
}

export async function readTeamWorkloads(deps: ConsoleDeps): Promise<TeamWorkloads> {
  const { store, clock, settings } = deps
  const { counselors } = settings.admissions
  const former = (await store.listOwners())
    .map(({ owner }) => owner)
    .filter(owner => memberName(owner, settings.admissions) === undefined)
  const workloads = await store.readWorkloads([...counselors.map(({ id }) => id), ...former], {
    lateBefore: lateBefore(deps, clock.now()),
  })
  return {
    of: id => workloads.find(({ owner }) => owner === id),
    former: workloads.filter(one => former.includes(one.owner) && leadsOf(one) > 0),
  }
}

export const readWorkload = async ({ store }: Pick<ConsoleDeps, 'store'>, id: string): Promise<Workload | undefined> =>
  (await store.readWorkloads([id], { lateBefore: [] }))[0]

/** How many of a person's leads go to someone else when they leave. */
export const leadsOf = (workload: Workload | undefined): number =>
  workload === undefined ? 0 : workload.open + workload.closedWaiting

export const countLeadsOf = async (deps: Pick<ConsoleDeps, 'store'>, id: string): Promise<number> =>
  leadsOf(await readWorkload(deps, id))

export const openLeads = ({ open, more }: Pick<Workload, 'open' | 'more'>): string =>
  `${inDigits(open)}${more ? ' or more' : ''} open ${open === 1 ? 'lead' : 'leads'}`

/** The leads in words, including closed ones that are handed over; `no open leads` if there are none. */
export function leadsInWords(workload: Workload | undefined, stages = ''): string {
  if (workload === undefined || leadsOf(workload) === 0) return 'no open leads'
  const { open, closedWaiting } = workload
  const closed = `${inDigits(closedWaiting)} closed ${closedWaiting === 1 ? 'lead' : 'leads'} with someone who waits for an answer`
  return [...(open > 0 ? [openLeads(workload) + stages] : []), ...(closedWaiting > 0 ? [closed] : [])].join(' and ')
}

/** What goes to others when someone leaves, besides their leads, and who gets it, to end a paragraph. May be empty. */
export function dutiesInWords({ callbacks, elsewhere, waiting, scheduled }: Omit<Duties, 'stages'>): string {
  const own = callbacks - elsewhere
  const along = [
    ...(waiting > 0
      ? [`${counted(waiting, 'person', 'people')} who ${waiting === 1 ? 'waits' : 'wait'} for an answer`]
      : []),
    ...(own > 0 ? [counted(own, 'callback')] : []),
  ]
  const one = own + waiting === 1
  return [
    ...(along.length > 0
      ? [` ${along.join(' and ')} ${one ? 'goes' : 'go'} with the leads to their new counselors.`]
      : []),
    ...(elsewhere > 0
      ? [
          ` If they leave the team, ${counted(elsewhere, 'callback')} about leads of colleagues ${elsewhere === 1 ? 'falls' : 'fall'} to these colleagues.`,
        ]
      : []),
    ...(scheduled > 0 ? [` If they leave the team, ${scheduledInWords(scheduled)}.`] : []),
  ].join('')
}

/** What happens to the scheduled emails of someone who leaves. */
export const scheduledInWords = (scheduled: number): string =>
  scheduled === 1
    ? '1 scheduled email of theirs is not sent, but becomes a draft, and the counselor of that lead is notified'
    : `${inDigits(scheduled)} scheduled emails of theirs are not sent, but become drafts, and the counselors of those leads are notified`

/** How many people no one has tried to reach, such as `3` or `900 or more`; undefined if there are none. */
export const untriedOf = ({ untried, moreUntried }: Pick<Workload, 'untried' | 'moreUntried'>): string | undefined =>
  untried === 0 && !moreUntried ? undefined : `${inDigits(untried)}${moreUntried ? ' or more' : ''}`
