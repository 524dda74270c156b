/** What the cells of imported lists may stand for at this school. */
import type { Settings } from '../config/settings.ts'
import { timeZone } from '../follow-up/time-zones.ts'
import { statesWith } from '../leads/body/states.ts'
import type { ListValues } from '../leads/import/list-values.ts'
import { programNames } from '../leads/lead/programs.ts'
import { MANAGER, memberName } from '../leads/lead/staff.ts'
import { HOUR } from '../platform/time.ts'
import { takersOf } from './assign.ts'

export function listValues(settings: Settings): ListValues {
  const { admissions, school, studentInterest } = settings
  const zone = timeZone(school.timeZone)
  const addresses = new Map([
    ...admissions.counselors.map(({ id, email }) => [id, email] as const),
    [MANAGER, admissions.manager?.email] as const,
  ])
  return {
    states: statesWith(studentInterest.states),
    ownStates: studentInterest.states,
    programs: programNames(settings),
    people: takersOf(settings).map(({ id, name }) => {
      const email = addresses.get(id)
      return { id, name: memberName(id, admissions) ?? name, ...(email !== undefined && { email }) }
    }),
    country: school.country,
    noonOf: day => zone.momentOf({ day, time: 12 * HOUR }),
  }
}
