/** A person who writes in Spanish, without a script: from the form to the page that unsubscribes them. */
import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DAY } from '../../src/platform/time.ts'
import { startApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openForm, problemAt, typed, unescaped } from '../support/forms.ts'

/** As a phone in Spanish sends it. */
const IN_SPANISH = { 'Accept-Language': 'es-MX,es;q=0.9,en;q=0.6' }
const MARIA = 'maria@school.example'
const counselors = [
  { id: 'sam', name: 'Sam Reed', email: 'sam@school.example', weight: 9 },
  { id: 'maria', name: 'Maria Lopez', email: MARIA, languages: ['es'] },
]
const settings = { school: { postalAddress: '1 Main Street, Dallas' }, admissions: { counselors } }

onEachEngine(engine => {
  describe('a student who fills in the Spanish form', () => {
    test('reads Spanish from its errors to the end, and goes to a counselor who speaks it', async t => {
      const app = await startApp(t, { engine, settings })
      const form = await openForm(app, 'student', { headers: IN_SPANISH })
      match(form.page.text, /<html lang="es".*<h1[^>]*>Pregunta por nuestros programas</s)
      const wrong = await form.send(typed('student', { email: 'ana', lastName: '' }))
      equal(wrong.status, 400)
      match(wrong.text, /<title>Error: Pregunta por nuestros programas/)
      equal(problemAt(wrong.text, 'lastName'), 'Escribe tu apellido')
      match(problemAt(wrong.text, 'email') ?? '', /^Escribe un correo electrónico como/)

      const sent = await form.send(typed('student', { firstName: 'Ana', email: 'ana@mail.example' }))
      equal(sent.status, 303)
      const next = new URL(String(sent.headers.get('location')), app.origin.learn)
      match((await app.request(next.href)).text, /<html lang="es".*Te enviamos la confirmación a ana@mail\.example/s)
      await app.settle()

      const lead = await app.app.store.findLead(1)
      deepEqual([lead?.language, lead?.owner], ['es', 'maria'])
      const entries = (await app.app.store.readLead(1))?.timeline ?? []
      const assigned = entries.find(({ kind }) => kind === 'assigned')
      equal(assigned?.detail, 'maria: next in turn, speaks Spanish')
      const notification = app.sent.find(({ to }) => to.address === MARIA)
      match(notification?.text ?? '', /speaks Spanish/)

      const receipt = app.sent.find(({ to }) => to.address === 'ana@mail.example')
      match(receipt?.subject ?? '', /^Gracias por tu interés/)
      equal(receipt?.language, 'es')
      match(receipt?.text ?? '', /Soy Maria Lopez/)
      // Whatever the language of the browser in which they open the link.
      const [link = ''] = /http\S+\/mail\/u[^\s>]+/.exec(receipt?.text ?? '') ?? []
      const url = new URL(new URL(link).pathname, app.origin.learn).href
      const asked = await app.request(url, { headers: { 'Accept-Language': 'en' } })
      match(asked.text, /<html lang="es".*<button>Dejar de recibir correos</s)
      const done = await app.request(url, { method: 'POST' })
      match(done.text, /<h1>Listo, ya no te escribiremos</)
    })

    test('gets the follow-up emails in the language of the form that they sent last', async t => {
      const app = await startApp(t, { engine, settings })
      const send = async (lang: string, message: string) => {
        const form = await openForm(app, 'student', { query: `?lang=${lang}` })
        await form.send(typed('student', { email: 'ana@mail.example', message }))
        await app.settle()
      }
      await send('en', 'Do you have evening classes?')
      await send('es', '¿Tienen clases en la noche?')
      // Until someone has answered the second one, no letter goes out.
      await app.app.store.needNoAnswer(1, { actor: 'ana', now: app.clock.now() })
      app.sent.length = 0
      app.clock.advance(2 * DAY)
      await app.settle()
      const subjects = app.sent.filter(({ to }) => to.address === 'ana@mail.example')
      deepEqual(
        subjects.map(({ subject }) => subject),
        ['¿A qué hora te podemos llamar?'],
      )
    })
  })
})

describe('the list of states', () => {
  /** What the list offers, in its order: codes, and names. */
  const statesOf = (page: string): [code: string, name: string][] => {
    const [list = ''] = /<select id="state".*?<\/select>/s.exec(page) ?? []
    const options = list.matchAll(/<option value="(\w+)"[^>]*>(.*?)<\/option>/g)
    return Array.from(options, ([, code = '', name = '']) => [code, unescaped(name)])
  }

  test('has their Spanish names in Spanish order, and a chosen one arrives as its code', async t => {
    const app = await startApp(t, { settings })
    const form = await openForm(app, 'student', { query: '?lang=es' })
    const states = statesOf(form.page.text)
    const english = statesOf((await openForm(app, 'student', { query: '?lang=en' })).page.text)
    deepEqual(states.map(([code]) => code).toSorted(), english.map(([code]) => code).toSorted())
    const inOrder = states.map(([, name]) => name)
    deepEqual(
      inOrder,
      inOrder.toSorted((one, other) => one.localeCompare(other, 'es')),
    )
    const [inSpanish, inEnglish] = [new Map(states), new Map(english)]
    deepEqual(
      ['NY', 'NC', 'PA', 'NM', 'TX'].map(code => [inSpanish.get(code), inEnglish.get(code)]),
      [
        ['Nueva York', 'New York'],
        ['Carolina del Norte', 'North Carolina'],
        ['Pensilvania', 'Pennsylvania'],
        ['Nuevo México', 'New Mexico'],
        ['Texas', 'Texas'],
      ],
    )
    await form.send(typed('student', { email: 'ana@mail.example', state: 'NY' }))
    await app.settle()
    equal((await app.app.store.findLead(1))?.state, 'NY')
  })

  test('says what the school calls them, in each language', async t => {
    const content = temporaryFolder(t)
    mkdirSync(join(content, 'es'))
    writeFileSync(join(content, 'es/states.json'), '{"TX": "Tejas", "BC": "Columbia Británica"}')
    const studentInterest = { states: { 'British Columbia': 'BC' } }
    const app = await startApp(t, { settings: { ...settings, content, studentInterest } })
    const names = async (lang: string) => {
      const { page } = await openForm(app, 'student', { query: `?lang=${lang}` })
      const states = new Map(statesOf(page.text))
      return ['TX', 'BC', 'NY'].map(code => states.get(code))
    }
    deepEqual(await names('es'), ['Tejas', 'Columbia Británica', 'Nueva York'])
    deepEqual(await names('en'), ['Texas', 'British Columbia', 'New York'])
  })

  test('has no names without a code: the start stops, and names the file', async t => {
    const content = temporaryFolder(t)
    for (const [text, problem] of [
      ['{"New York": "Nueva York"}', /states\.json: has New York, which is not a code such as NY/],
      ['{"NY": 7}', /states\.json: NY must be a name/],
      ['["Nueva York"]', /states\.json: must be an object/],
      ['{', /states\.json: /],
    ] as const) {
      writeFileSync(join(content, 'states.json'), text)
      await rejects(startApp(t, { settings: { content } }), problem)
    }
  })
})

test('a form on a page whose language the school does not have is in the language of the browser', async t => {
  const app = await startApp(t)
  const language = async (query: string, headers: Record<string, string>) => {
    const { page } = await openForm(app, 'student', { query, headers })
    return /<html lang="(.*?)"/.exec(page.text)?.[1]
  }
  equal(await language('?lang=de', IN_SPANISH), 'es')
  equal(await language('?lang=en', IN_SPANISH), 'en')
  equal(await language('?lang=es-MX', {}), 'es')
  equal(await language('?lang=de', { 'Accept-Language': 'fr' }), 'en')
})

test('a workplace is spoken to as usted, from the title to the errors and the thanks, and a student as tú', async t => {
  const app = await startApp(t)
  const site = await openForm(app, 'site', { query: '?lang=es' })
  const wrong = await site.send(typed('site', { firstName: '', email: 'x', phone: '1' }))
  const done = await app.request(`${app.origin.site}/forms/sent/site-interest?lang=es`)
  for (const { text } of [site.page, wrong, done])
    doesNotMatch(text, /\b[Tt]us?\b|Elige|Escribe|[Rr]evisa |[Ll]lámanos/)
  match(problemAt(wrong.text, 'firstName') ?? '', /^Escriba su nombre/)
  const student = await openForm(app, 'student', { query: '?lang=es' })
  match(
    problemAt((await student.send(typed('student', { firstName: '' }))).text, 'firstName') ?? '',
    /^Escribe tu nombre/,
  )
})
