/** What an operator was told of in the browser or in a digest, in the words of the email that each would have been. */
import type { ConsoleContext } from '../frame/context.ts'

type NoticeInWords = { taskId: number; at: number; what: string; url: string }

/** The latest first. What is about a person who was erased is left out. */
export async function readNotices(c: ConsoleContext, page: { since: number; limit: number }): Promise<NoticeInWords[]> {
  const { store, conversations } = c.get('frame').deps
  const notices = await store.listNotices(c.get('operator').id, page)
  const read = notices.map(async ({ taskId, at }) => {
    const task = await store.readMail(taskId)
    const found = task && (await conversations.messageOf(task))
    if (found === undefined || !('content' in found)) return []
    const { subject, lead } = found.content
    return [{ taskId, at, what: subject, url: lead ? `/leads/${lead.id}` : '/inbox' }]
  })
  return (await Promise.all(read)).flat()
}
