/**
 * Loads what the messages about a submission need, one piece after the other, so that none of them holds up
 * those who are writing at that moment: all at once, it would stop the thread that responds for 0.1 to 0.3 seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageHtml } from '../content/message-markdown.ts'
import { plainText } from '../content/plain-text.ts'
import { lazy } from '../platform/lazy.ts'
import type { Messages } from './messages.ts'

/** They go out when someone has written. The others are loaded when they are needed. */
const FIRST = [
  'letters/receipt.md',
  'notifications/student-interest.md',
  'notifications/site-interest.md',
]

/** Between two pieces, in milliseconds: long enough to respond to those who came meanwhile. */
const PAUSE = 20

/**
 * A function that loads it, once. Call it with the first submission, not at the start: it takes some 10 MB, which a
 * service without submissions does not need. What is needed before it is ready is loaded at that moment.
 */
export function firstMessages(
  messages: Pick<Messages, 'samples'>,
  pause = () => sleep(PAUSE, undefined, { ref: false }),
): () => Promise<void> {
  const renderings = messages.samples().filter(({ file }) => FIRST.includes(file))
  const pieces = [
    () => messageHtml('The *library* for Markdown.'),
    () => plainText('<p>The library for plain text.</p>'),
    () => import('nodemailer'),
    ...renderings.map(({ render }) => render),
  ]
  return lazy(async () => {
    for (const piece of pieces) {
      await piece()
      await pause()
    }
  })
}
