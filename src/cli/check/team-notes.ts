/** Notes about the people who follow up: who has left and still has leads, and who is on the team but gets nothing. */
import type { Config } from '../../config/config.ts'
import { notWorking, whyNotWorking } from '../../follow-up/working-staff.ts'
import { takersOf } from '../../lead-actions/assign.ts'
import { memberName } from '../../leads/lead/staff.ts'
import type { Store } from '../../store/store.ts'
import { count } from '../terminal/output.ts'

/** One sentence for each such person, and one if no one is left who can get a lead. */
export async function teamNotes({ settings, admissionsEmail }: Config, store: Store): Promise<string[]> {
  const { admissions } = settings
  const notWorkingIds = notWorking(admissions)
  const owners = await store.listOwners()
  const left = owners
    .filter(({ owner }) => memberName(owner, admissions) === undefined)
    .map(
      ({ owner, leads }) =>
        `${count(leads, 'open lead belongs', 'open leads belong')} to "${owner}", who is not in the settings: npx frontdesk leads assign <lead> <counselor>`,
    )
  const getNothing = notWorkingIds.map(id => {
    const leads = owners.find(({ owner }) => owner === id)?.leads ?? 0
    const has = leads === 0 ? '' : ` They have ${count(leads, 'open lead', 'open leads')}: hand them over under Team.`
    return `${memberName(id, admissions)} is on the team but ${whyNotWorking(id, admissions)}: they get no new leads and no emails.${has}`
  })
  const isAlone = notWorkingIds.length > 0 && takersOf(settings).length === 0
  const alone = isAlone ? [`No one on the team can work on leads: every new lead goes to ${admissionsEmail}.`] : []
  return [...left, ...getNothing, ...alone]
}
