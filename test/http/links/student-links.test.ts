import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { StoreUnavailable } from '../../../src/store/store-unavailable.ts'
import { ask, CAME, post, start } from './linked-pages.ts'

describe('a link in a letter', () => {
  test('asks first: looking at it changes nothing', async t => {
    const { student, acts } = await start(t)
    const { text } = await ask(student('unsubscribe', 12, CAME))
    match(text, /<h1>Stop email from Northside Trade School\?<\/h1>/)
    match(text, /<form method="post"[^>]*>\s*<button>Unsubscribe<\/button>/)
    match((await ask(student('not-me', 12, CAME))).text, /<button>This was not me<\/button>/)
    deepEqual(acts, [])
  })

  test('acts when the button is pressed, and again', async t => {
    const { student, acts } = await start(t)
    for (const url of [student('unsubscribe', 12, CAME), student('not-me', 12, CAME)]) {
      for (const press of [1, 2]) equal((await post(url)).status, 200, `${press}`)
    }
    const [unsubscribe, notMe] = [
      ['unsubscribe', 12, CAME],
      ['not-me', 12, CAME],
    ]
    deepEqual(acts, [unsubscribe, unsubscribe, notMe, notMe])
  })

  test('unsubscribes when a mail program presses it, whatever way the program has', async t => {
    const { student, acts } = await start(t)
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    const urlEncoded = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    for (const body of [urlEncoded, form, undefined, '{}', 'x'.repeat(100_000)]) {
      const { status, headers } = await post(student('unsubscribe', 12, CAME), body)
      equal(status, 200)
      equal(headers.get('location'), null)
      equal(headers.get('set-cookie'), null)
    }
    equal(acts.length, 5)
  })

  test('that is not complete is answered with how to get on, in JSON', async t => {
    const { student, learn, acts } = await start(t)
    const url = student('unsubscribe', 12, CAME)
    for (const broken of [url.slice(0, -1), `${url}x`, `${url}/x`, `${learn}/mail/`]) {
      for (const answer of [await ask(broken), await post(broken)]) {
        equal(answer.status, 404)
        deepEqual(Object.keys(JSON.parse(answer.text)), ['error'])
      }
    }
    match((await ask(`${learn}/mail/x`)).text, /reply to the email/)
    deepEqual(acts, [])
  })

  test('that cannot be followed now says so, and to come back', async t => {
    const { student } = await start(t, { fail: new StoreUnavailable('away') })
    const { status, headers, text } = await post(student('unsubscribe', 12, CAME))
    equal(status, 503)
    equal(headers.get('retry-after'), '5')
    equal(JSON.parse(text).error, 'The service is temporarily unavailable. Try again in 5 seconds.')
  })
})
