/** The content of the outbox's messages, for the commands that show them. */
import type { Config } from '../../config/config.ts'
import { contentDirs } from '../../content/content-files.ts'
import { templatesOf } from '../../follow-up/cadence.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import { createMessageIds } from '../../mail/message-id.ts'
import { createMessages } from '../../mail/render-messages.ts'
import { createAddressees } from '../../mail/staff-addressees.ts'
import { createMailer } from '../../mail/transport/mailer.ts'
import { linkSecret, linksWith } from '../../open-links.ts'
import { createLog } from '../../platform/log.ts'
import { newSecret } from '../../platform/secret.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { messageOfTask, notKnown, type TaskMessage } from '../../tasks/message-of-task.ts'
import type { MailServices } from '../../tasks/outbox.ts'
import { addressSecretOf } from '../terminal/with-store.ts'

export type MailReader = {
  /** The message of a task, or a sentence that says why there is none. */
  read(task: Task): Promise<TaskMessage>
  /** The Message-ID, without angle brackets. */
  idOf(task: Task): string
  /** The lead that a message is about; undefined if it is not about a lead, or if the lead was erased. */
  leadOf(task: Task): Promise<number | undefined>
}

/** Reads messages as the worker makes them. If the content cannot be used, each message is a sentence that says so. */
export async function createMailReader(store: Store, config: Config): Promise<MailReader> {
  const { settings } = config
  // If the secret is lost, only the links and the Message-IDs are wrong.
  const secretKey = (await linkSecret(config, store)) ?? newSecret()
  const templates = templatesOf(settings.followUp)
  const calendar = createCalendar(settings)
  const identity = createMessageIds(secretKey, config.mailFrom)
  const shared = { store, clock: store.clock, config, calendar, identity }
  const dependencies = async (): Promise<MailServices> => ({
    ...shared,
    addressees: createAddressees({ config, store, calendar }),
    addressSecret: await addressSecretOf(store),
    messages: createMessages({
      ...config,
      links: linksWith(secretKey, config),
      templates,
      contentDirs: contentDirs(settings.content),
      tryOut: false,
    }),
    mailer: createMailer(config),
    log: createLog('silent'),
  })
  let made: Promise<MailServices> | undefined
  return {
    read: async task => {
      made ??= dependencies()
      return made.then(
        deps => messageOfTask(deps, task),
        error => notKnown((error as Error).message),
      )
    },
    idOf: task => identity.of(task),
    leadOf: async task => (await store.findMessage(task))?.leadId ?? undefined,
  }
}
