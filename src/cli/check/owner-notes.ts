/** What `check` notes about leads of people who are not in the settings. */
import type { Config } from '../../config/config.ts'
import { memberName } from '../../leads/lead/staff.ts'
import type { Store } from '../../store/store.ts'
import { count } from '../terminal/output.ts'

/** One sentence for each counselor, and for a manager, who has leads but is not in the settings. */
export async function ownerNotes({ settings }: Config, store: Store): Promise<string[]> {
  return (await store.listOwners())
    .filter(({ owner }) => memberName(owner, settings.admissions) === undefined)
    .map(
      ({ owner, leads }) =>
        `${count(leads, 'open lead belongs', 'open leads belong')} to "${owner}", who is not in the settings: npx frontdesk leads assign <lead> <counselor>`,
    )
}
