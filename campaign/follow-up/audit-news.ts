/** Checks that the staff was notified of everything that happened to a lead, or did not need to be. */
import { presentAt } from './audit-assignment.ts'
import { isNotice } from './audit-notices.ts'
import type { Expect, Facts, TaskFact } from './facts.ts'
import type { World } from './world.ts'

/** What this audit needs to know of the world. */
type Known = Pick<World, 'time' | 'ledger'>

export function auditNews(
  known: Known,
  { tasks, news, leads, handedOver }: Pick<Facts, 'tasks' | 'news' | 'leads' | 'handedOver'>,
  expect: Expect,
): void {
  const tasksOfNews = tasks.filter(
    ({ kind, subject, note }) =>
      kind === 'news' && note !== 'the lead was erased' && known.ledger.promises.about(subject) === undefined,
  )
  const least = leads.reduce((sum, { id }) => sum + (news.get(id) ?? 0), 0)
  expect(tasksOfNews.length >= least, `${least} news of leads, but ${tasksOfNews.length} notifications`)
  for (const task of tasksOfNews) {
    const { subject, state, note } = task
    if (isNotice(task)) continue
    const right =
      state === 'skipped' ? isNeedless(known, task, handedOver.get(subject)) : state === 'done' || state === 'dead'
    expect(right, `the news of entry ${subject} is ${state}: ${note}`)
  }
}

/** Whether the reason for not sending it was true at that moment. An erasure takes the new owner's name along. */
function isNeedless(known: Known, { note, finishedAt }: TaskFact, owner: string | undefined) {
  if (note === 'the lead was assigned again') return true
  // Two leads that were merged are two again.
  if (note === 'it was undone') return true
  // The second email about an email that was not sent is for an author who does not work on the lead.
  if (note === 'its author was told already, or has left') return true
  if (note !== 'the counselor is not away') return false
  return owner === undefined || presentAt(known, finishedAt).some(({ id }) => id === owner)
}
