import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { prepareMessages } from '../../src/mail/prepare-messages.ts'
import { someMessages } from './fixtures.ts'

const files = someMessages()
  .samples()
  .map(({ file }) => file)

/** What happens while messages are prepared, and rendering this one fails. */
async function eventsOf(broken?: string): Promise<string[]> {
  const events: string[] = []
  const templates = files.map(file => {
    const template = ({ number }: { number?: number }) => {
      events.push(`${file} with sample ${number}`)
      if (file === broken) throw new Error('broken')
      return { subject: '', preheader: '', text: '', html: '' }
    }
    return [file, { template, samples: () => [{ number: 1 }, { number: 2 }] }] as const
  })
  const pause = async () => void events.push('pause')
  await prepareMessages(new Map(templates), pause)
  return events
}

const needed = [
  'pause',
  'pause',
  'pause',
  'pause',
  'notifications/site-interest.md with sample 1',
  'pause',
  'notifications/student-interest.md with sample 1',
  'pause',
  'letters/receipt.md with sample 1',
  'pause',
  'es/letters/receipt.md with sample 1',
]

test('what the messages about a submission need is loaded with a pause before each piece', async () => {
  deepEqual(await eventsOf(), needed)
})

test('a piece that fails keeps back none of the others', async () => {
  deepEqual(await eventsOf('notifications/site-interest.md'), needed)
})
