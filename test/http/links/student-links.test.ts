import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StudentActions } from '../../../src/http/links/student-actions.ts'
import { StoreUnavailable } from '../../../src/store/acceptance/store-unavailable.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { aStudent } from '../../support/bodies.ts'
import { onEachEngine, sql } from '../../support/engines.ts'
import { ask, CAME, post, start } from './linked-pages.ts'

describe('a link in an email to a student', () => {
  test('asks first: opening it changes nothing', async t => {
    const { student, acts } = await start(t)
    const { text } = await ask(student('unsubscribe', 12, CAME))
    match(text, /<h1>Stop email from Northside Trade School\?<\/h1>/)
    match(text, /<form method="post"[^>]*>\s*<button>Unsubscribe<\/button>/)
    match((await ask(student('not-me', 12, CAME))).text, /<button>This wasn&#39;t me<\/button>/)
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
    match((await post(student('unsubscribe', 12, CAME))).text, /not send any more automatic emails to this address\./)
  })

  test('unsubscribes when a mail program presses it, whatever body the program sends', async t => {
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

  test('that is cut off says on a page what to do, whatever the client accepts', async t => {
    const { student, learn, acts } = await start(t)
    const url = student('unsubscribe', 12, CAME)
    for (const broken of [url.slice(0, -1), `${url}x`, `${url}/x`, `${learn}/mail/`]) {
      const asked = await ask(broken, { headers: { Accept: 'application/json' } })
      for (const { status, text } of [asked, await post(broken)]) {
        equal(status, 404)
        match(text, /<h1>This link was cut off<\/h1>/)
        match(text, /reply to any email you got from us and say so, or call us at/)
      }
    }
    deepEqual(acts, [])
  })

  const inSpanish = { headers: { 'Accept-Language': 'es-MX,es;q=0.9,en;q=0.5' } }

  test('opens pages in the language of the lead, whatever the browser prefers', async t => {
    const { student, learn } = await start(t, { languageOfLead: async () => 'es' })
    const asked = await ask(student('unsubscribe', 12, CAME))
    match(asked.text, /<html lang="es" dir="ltr">.*<button>Dejar de recibir correos<\/button>/s)
    equal(asked.headers.get('content-language'), 'es')
    match((await post(student('unsubscribe', 12, CAME))).text, /<h1>Listo, ya no te escribiremos</)
    match((await ask(student('not-me', 12, CAME))).text, /<h1>¿No fuiste tú\?</)
    match((await post(student('not-me', 12, CAME))).text, /<h1>Gracias por avisarnos</)
    match((await ask(`${learn}/mail/x`, inSpanish)).text, /<h1>El enlace está incompleto</)
    match((await ask(`${learn}/mail/x/y`, inSpanish)).text, /<h1>El enlace está incompleto</)
    match((await ask(`${learn}/mail/x`)).text, /<h1>This link was cut off</)
  })

  test('opens pages in the language of the browser if the lead is gone or cannot be read', async t => {
    const unread: StudentActions['languageOfLead'][] = [
      async () => undefined,
      () => Promise.reject(new StoreUnavailable('away')),
    ]
    for (const languageOfLead of unread) {
      const { student } = await start(t, { languageOfLead })
      const url = student('unsubscribe', 12, CAME)
      match((await ask(url, inSpanish)).text, /<html lang="es" dir="ltr">/)
      match((await ask(url)).text, /<html lang="en" dir="ltr">/)
    }
  })

  test('that cannot be followed now says so, with the time after which to try again', async t => {
    const { student } = await start(t, { fail: new StoreUnavailable('away') })
    const { status, headers, text } = await post(student('unsubscribe', 12, CAME))
    equal(status, 503)
    equal(headers.get('retry-after'), '5')
    equal(JSON.parse(text).error, 'The service is temporarily unavailable. Try again in 5 seconds.')
    const init = { method: 'POST', headers: { Accept: 'text/html,*/*;q=0.8' } }
    const page = await fetch(student('unsubscribe', 12, CAME), init)
    deepEqual([page.status, page.headers.get('retry-after')], [503, '5'])
    match(await page.text(), /<h1>This does not work right now<\/h1>/)
  })
})

onEachEngine(engine => {
  describe('a link in an email to a student, in the whole service,', () => {
    test('acts on the lead that it was made for', async t => {
      const desk = await startApp(t, { engine })
      await desk.postStudent(aStudent())
      await desk.settle()
      for (const action of ['u', 'n']) {
        const url = linkIn(desk, action)
        equal((await desk.request(url, { method: 'POST' })).status, 200)
      }
      deepEqual(await requestsOf(desk), ['unsubscribed', 'not-me'])
    })

    test('does nothing to another lead that has its number since the database was restored, and says so', async t => {
      const desk = await startApp(t, { engine })
      await desk.postStudent(aStudent())
      await desk.settle()
      await sql(desk.database, 'update leads set created_at = created_at + 1')
      for (const action of ['u', 'n']) {
        const { status, text } = await desk.request(linkIn(desk, action), { method: 'POST' })
        equal(status, 200)
        match(text, /<h1>There is nothing at this link anymore<.*use the link in that one/s)
      }
      deepEqual(await requestsOf(desk), [])
      deepEqual(await sql(desk.database, 'select reason from suppressions'), [])
    })
  })
})

/** The URL of a link in the receipt: u unsubscribes, n says "not me". */
function linkIn({ sent, origin }: TestApp, action: string): string {
  const texts = sent.map(({ text }) => text).join('\n')
  const [, path = ''] = new RegExp(`(/mail/${action}[\\w.-]+)`).exec(texts) ?? []
  return origin.learn + path
}

const requestsOf = async ({ app }: TestApp) =>
  ((await app.store.readLead(1))?.timeline ?? [])
    .map(({ kind }) => kind)
    .filter(kind => kind === 'unsubscribed' || kind === 'not-me')
