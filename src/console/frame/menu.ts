/** The navigation: its headings, and the order of the pages below each. */
import { may, type SignedIn } from './access.ts'
import type { ConsoleRoute, MenuGroup } from './context.ts'

const arrangement = [
  { title: 'Leads', paths: ['/inbox', '/today', '/board', '/quarantine'] },
  { title: 'Manage', paths: ['/insight', '/report', '/import', '/export', '/team', '/cadence'] },
  { title: 'School', paths: ['/hours', '/programs', '/forms', '/answers', '/emails', '/consent', '/brand'] },
  {
    title: 'System',
    paths: ['/delivery', '/privacy', '/destinations', '/sources', '/tokens', '/settings', '/operators', '/audit'],
  },
]

/** Arranges the routes that have a title in the navigation. Throws if a route has no place in it. */
export function menuOf(routes: readonly ConsoleRoute[]): MenuGroup[] {
  const items = new Map(
    routes.flatMap(({ path, menu: title, action }) =>
      title === undefined || action === 'anyone' ? [] : [[path, { path, title, action }]],
    ),
  )
  const groups = arrangement.map(({ title, paths }) => ({ title, items: paths.flatMap(path => items.get(path) ?? []) }))
  for (const { items: placed } of groups) for (const { path } of placed) items.delete(path)
  if (items.size > 0) throw new Error(`no place in the navigation: ${[...items.keys()]}`)
  return groups
}

/** The part of the menu that the operator may open; a group without pages is left out. */
export const menuFor = (operator: Pick<SignedIn, 'role'>, menu: readonly MenuGroup[]): MenuGroup[] =>
  menu
    .map(({ title, items }) => ({ title, items: items.filter(({ action }) => may(operator, action)) }))
    .filter(({ items }) => items.length > 0)
