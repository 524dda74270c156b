/** Who is waiting for colleagues, so that the *Today* of a manager with leads never looks empty while anyone waits. */
import { html } from 'hono/html'
import { counted } from '../../leads/body/tidy-text.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import type { ConsoleContext } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'

/** How many people wait for each colleague, with the colleagues' names. `more`: not all people were read. */
export type Colleagues = { total: number; more: boolean; of: { id: string; name: string; count: number }[] }

/**
 * Who waits for colleagues now, for a manager who also follows up leads: the rest of the page shows only their own
 * leads and the team's.
 */
export async function waitForColleagues(
  c: ConsoleContext,
  { now, limit }: { now: number; limit: number },
): Promise<Colleagues> {
  const { counselor, role } = c.get('operator')
  if (counselor === undefined || role === 'counselor') return { total: 0, more: false, of: [] }
  const { store, settings } = c.get('frame').deps
  const { callbacks, wroteBack, leads, more } = await store.listDueLeads({ until: now, limit })
  const colleagueOf = new Map([...wroteBack, ...leads].map(({ id, owner }) => [id, owner]))
  for (const { lead, assignee } of callbacks) colleagueOf.set(lead.id, assignee ?? lead.owner)
  const counts = new Map<string, number>()
  for (const id of colleagueOf.values()) if (id !== null && id !== counselor) counts.set(id, (counts.get(id) ?? 0) + 1)
  const of = [...counts].map(([id, count]) => ({ id, count, name: ownerName(id, settings.admissions) }))
  const total = of.reduce((sum, { count }) => sum + count, 0)
  return { total, more, of: of.toSorted((one, other) => other.count - one.count) }
}

export const colleaguesLine = ({ total, more, of }: Colleagues): Html =>
  total === 0
    ? html``
    : html`<p class="colleagues">${counted(total, 'person', 'people')}${more ? ' or more' : ''} ${total === 1 && !more ? 'is waiting' : 'are waiting'} for colleagues: ${of.map(
        ({ id, name, count }, index) =>
          html`${index === 0 ? '' : ', '}<a href="/inbox?stage=any&amp;who=${encodeURIComponent(id)}">${name}</a> ${count}`,
      )}</p>`
