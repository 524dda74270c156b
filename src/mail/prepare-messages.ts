/**
 * Loads what the messages about a submission need, one piece after the other. Loading everything at once would stop the
 * thread that responds for 0.1 to 0.3 seconds, and delay people who are writing at that moment.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageHtml } from '../content/message-markdown.ts'
import { plainText } from '../content/plain-text.ts'
import type { LoadedTemplate } from './message-templates.ts'
import { personMessages, staffMessages } from './messages.ts'

/** These go out after someone has written, in any language. Other messages are loaded when they are needed. */
const aboutSubmissions = [staffMessages.siteInterest, staffMessages.studentInterest, personMessages.receipt]

/** The pause before each piece, in milliseconds: long enough to respond to requests that came meanwhile. */
const PAUSE = 20

/**
 * Call it with the first submission, not at startup: it takes about 10 MB, which a service without submissions does not
 * need. A message that is needed before this is ready is loaded at that moment. Never rejects: if something fails here,
 * it fails again for the message that needs it, and that message's task says why.
 */
export async function prepareMessages(
  loaded: ReadonlyMap<string, LoadedTemplate>,
  pause = () => sleep(PAUSE, undefined, { ref: false }),
): Promise<void> {
  const pieces: (() => unknown)[] = [
    () => messageHtml('The *library* for Markdown.'),
    () => plainText('<p>The library for plain text.</p>'),
    () => import('nodemailer'),
  ]
  for (const [file, { template, samples }] of loaded)
    if (aboutSubmissions.some(message => `/${file}`.endsWith(`/${message.template}`)))
      pieces.push(() => template(samples()[0] ?? {}))
  for (const piece of pieces) {
    await pause()
    try {
      await piece()
    } catch {}
  }
}
