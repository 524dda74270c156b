/** The lead that the operator means: by its id, an email address or a phone number. */
import type { Settings } from '../../config/settings.ts'
import { isAddress, readReach } from '../../leads/body/person-key.ts'
import { type Lead, reachOf } from '../../leads/lead/lead.ts'
import { parseLeadSearch } from '../../leads/words/lead-search.ts'
import type { Store } from '../../store/store.ts'
import { parseId } from '../terminal/arguments.ts'
import { CommandFailed, terminal } from '../terminal/terminal.ts'
import { findLead } from '../terminal/with-store.ts'
import { titleOf } from './lead-as-text.ts'

/**
 * The id of the lead. A number of up to nine digits is taken as an id, even if no lead has it. If several leads match
 * an address or number, the only open one is meant, and a line on standard error says so. Throws CommandFailed if none
 * matches, or if it is not clear which one is meant.
 */
export async function findLeadId(store: Store, text: string, { school }: Settings): Promise<number> {
  // Phone numbers are longer than that, and no database has enough leads for such an id.
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  const search = parseLeadSearch(text, school.country)
  if ('words' in search) {
    throw new CommandFailed(
      `"${text}" is not the id, the email address or the phone number of a lead; to search by name: npx frontdesk leads list --search "${text}"`,
    )
  }
  const { leads } = await store.searchLeads(search, { limit: MOST_CANDIDATES })
  if (leads.length === 0) throw new CommandFailed(`No lead has ${text}.`)
  return choose(leads, text).id
}

const MOST_CANDIDATES = 20

/**
 * The person that the operator means, named by the id of a lead, an address or a phone number. Returns the person's
 * address or, without one, their number. Throws CommandFailed if nothing matches, or if several people have the
 * number. Says whose leads had the address before someone corrected it: they may be the same person.
 */
export async function findPerson(store: Store, text: string, { school }: Settings): Promise<string> {
  const reach = readReach(text, school.country)
  if (reach === undefined) return reachOf(await findLead(store, parseId(text)))
  const people = await store.findPeople(reach)
  const [person = reach, ...others] = people
  if (others.length === 0) return person
  if (!isAddress(reach))
    throw new CommandFailed(
      `Several people have ${text}; name one of them:\n${people.map(one => `  ${one}`).join('\n')}`,
    )
  terminal().stderr.write(
    `${text} was corrected to ${others.join(', ')} on a lead, which may be about the same person.\n`,
  )
  return person
}

function choose(leads: Lead[], text: string): Lead {
  const open = leads.filter(({ stage }) => stage !== 'closed')
  const [candidate, ...others] = open.length > 0 ? open : leads
  if (candidate === undefined || others.length > 0) {
    const list = leads.map(lead => `  ${titleOf(lead)}`).join('\n')
    throw new CommandFailed(`Several leads have ${text}; give the id of one:\n${list}`)
  }
  if (leads.length > 1) {
    terminal().stderr.write(`${text}: lead ${candidate.id} is open; ${leads.length - 1} closed before.\n`)
  }
  return candidate
}
