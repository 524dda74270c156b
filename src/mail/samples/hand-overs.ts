/** Sample variables of the message about all leads of someone that were handed over. */
import { DAY } from '../../platform/time.ts'
import { handOverVariables, type LeadsHandOverView } from '../variables/hand-over.ts'
import type { SchoolContext } from '../variables/school-context.ts'
import { counselor, lead, now, team } from './messages.ts'

export function handOverSamples(context: SchoolContext): object[] {
  const reached = { ...lead, firstName: 'Ben', stage: 'contacted', createdAt: now - 9 * DAY }
  const site = { ...lead, kind: 'site' as const, company: 'Mercy Hospital', state: null }
  const common: LeadsHandOverView = {
    to: counselor,
    actor: 'maria',
    owner: 'maria',
    ownerName: counselor.name,
    from: 'Tom Reed',
    by: 'Dana Kim',
    awayUntil: null,
    role: 'owner',
    undone: false,
    now,
    leads: [lead, site, reached],
    total: 140,
    waiting: 2,
    owners: [
      { name: counselor.name, leads: 140 },
      { name: 'the team', leads: 1 },
    ],
  }
  const one = { leads: [lead], total: 1, waiting: 1 }
  const views: LeadsHandOverView[] = [
    common,
    { ...common, ...one },
    { ...common, leads: [reached], total: 1, waiting: 0 },
    { ...common, role: 'stand-in', awayUntil: 'December 4' },
    { ...common, ...one, to: team, actor: undefined, owner: null, ownerName: 'the team', by: null },
    { ...common, role: 'former', leads: [], waiting: 0 },
    { ...common, role: 'former', leads: [], waiting: 0, total: 1, owners: [{ name: 'the team', leads: 1 }] },
    { ...common, undone: true },
    { ...common, ...one, undone: true },
    { ...common, role: 'former', undone: true, leads: [], waiting: 0 },
  ]
  return views.map(view => handOverVariables(view, context))
}
