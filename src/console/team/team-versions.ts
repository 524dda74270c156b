/** How two versions of the team differ and who is on the team in a version, for the pages of its versions. */
import { isDeepStrictEqual } from 'node:util'
import { html } from 'hono/html'
import { ConsoleError } from '../frame/error-pages.ts'
import type { EditedPage } from '../versions/edited-page.ts'
import { countLeadsOf } from './workload.ts'

export const editedTeam: EditedPage<'team'> = {
  part: 'team',
  path: '/team',
  action: 'edit team',
  differences: (before, after) => {
    const known = new Map(before.counselors.map(one => [one.id, one]))
    const here = new Set(after.counselors.map(({ id }) => id))
    const managers = [before.manager, after.manager]
    return [
      ...before.counselors.filter(({ id }) => !here.has(id)).map(({ name }) => `Removed: ${name}.`),
      ...after.counselors.flatMap(one => {
        const then = known.get(one.id)
        if (then === undefined) return [`New: ${one.name}.`]
        return isDeepStrictEqual(then, one) ? [] : [`Changed: ${one.name}.`]
      }),
      ...(isDeepStrictEqual(...(managers as [unknown, unknown]))
        ? []
        : [`Manager: ${after.manager?.name ?? 'no one'}.`]),
    ]
  },
  show: ({ counselors, manager }) =>
    html`<section class="panel"><h2>The team then</h2><ul>${counselors.map(({ name, email }) => html`<li>${name}, <span class="quiet">${email}</span></li>`)}${counselors.length === 0 ? html`<li>No counselors</li>` : ''}${manager ? html`<li>${manager.name}, manager, <span class="quiet">${manager.email}</span></li>` : ''}</ul></section>`,
  async forbid(team, deps) {
    const kept = new Set(team.counselors.map(({ id }) => id))
    for (const { id, name } of deps.settings.admissions.counselors) {
      if (!kept.has(id) && (await countLeadsOf(deps, id)) > 0)
        throw new ConsoleError(
          409,
          `${name} still has leads and is not on the team in that version. Hand the leads over first.`,
        )
    }
  },
}
