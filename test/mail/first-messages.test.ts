import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { firstMessages } from '../../src/mail/first-messages.ts'
import { someMessages } from './fixtures.ts'

test('what the messages about a submission need is loaded once, with a pause after each piece', async () => {
  const events: string[] = []
  const samples = someMessages()
    .samples()
    .map(({ file, render }) => ({
      file,
      render: () => {
        events.push(file)
        return render()
      },
    }))
  const load = firstMessages({ samples: () => samples }, async () => void events.push('pause'))
  deepEqual(events, [])
  await Promise.all([load(), load()])
  await load()
  const libraries = ['pause', 'pause', 'pause']
  deepEqual(events, [
    ...libraries,
    ...['notifications/site-interest.md', 'pause'],
    ...['notifications/student-interest.md', 'pause'],
    ...['letters/receipt.md', 'pause'],
  ])
})
