/** Has attachments scanned. Until a scanner has found them clean, no one can download them, and they are not sent. */
import type { Logger } from 'pino'
import type { Services } from '../../lead-actions/services.ts'
import type { Attachment } from '../../leads/attachments/attachment.ts'
import { attachmentContent } from '../../store/attachments/attachment-content.ts'
import type { Lane } from '../../store/tables/schema.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { isOutage } from '../lanes/outage.ts'
import { retryDelay } from '../lanes/retry.ts'
import { scan, type Verdict } from './scan-command.ts'

export type ScanServices = Pick<Services, 'store' | 'clock' | 'settings'> & {
  log: Logger
  /** Called when what waited for the scanner may continue. */
  wake: (lanes: readonly Lane[]) => void
  /** Aborted when the service ends: a scanner under way is killed, and the attachment is scanned again later. */
  stopping: AbortSignal
}

/** Scans the attachments of one email; if the scanner fails, again after ever longer delays. */
export async function scanAttachments(deps: ScanServices, task: Task): Promise<void> {
  const { store, clock, log } = deps
  const { attachments = [] } = (await store.readEntry(task.subject)) ?? {}
  try {
    for (const attachment of attachments.filter(({ state }) => state === 'unchecked')) {
      const verdict = await verdictOn(deps, attachment)
      if (verdict === 'infected') log.warn({ attachment: attachment.id }, 'the scanner found a virus in an attachment')
      const state = verdict === 'clean' ? 'stored' : 'infected'
      await store.recordScan(attachment.id, { state, now: clock.now() })
      if (state === 'infected') deps.wake(['mail'])
    }
  } catch (error) {
    if (deps.stopping.aborted) return
    if (isOutage(error, task)) throw error
    const note = (error as Error).message
    log.warn({ task: task.id, attempts: task.attempts, reason: note }, 'attachments could not be scanned; trying again')
    const dueAt = clock.now() + retryDelay(task.attempts, Math.random())
    await store.postponeTask(task, { dueAt, note, now: clock.now() })
    return
  }
  await store.finishTask(task, { state: 'done', note: null, now: clock.now() })
  deps.wake(['messages'])
}

/** If the settings no longer name a scanner, attachments do not wait for one. */
async function verdictOn(
  { store, settings, stopping: signal }: ScanServices,
  attachment: Attachment,
): Promise<Verdict> {
  const { scanCommand } = settings.attachments
  return scanCommand.length === 0 ? 'clean' : scan(scanCommand, attachmentContent(store, attachment), { signal })
}
