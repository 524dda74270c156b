/** A person who writes in Spanish, without a script: from the form to the page that unsubscribes them. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY } from '../../src/platform/time.ts'
import { startApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { openForm, problemAt, typed } from '../support/forms.ts'

/** As a phone in Spanish sends it. */
const IN_SPANISH = { 'Accept-Language': 'es-MX,es;q=0.9,en;q=0.6' }
const MARIA = 'maria@school.example'
const counselors = [
  { id: 'sam', name: 'Sam Reed', email: 'sam@school.example', weight: 9 },
  { id: 'maria', name: 'Maria Lopez', email: MARIA, languages: ['es'] },
]
const settings = {
  school: { postalAddress: '1 Main Street, Dallas' },
  admissions: { counselors },
}

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

      const sent = await form.send(
        typed('student', { firstName: 'Ana', email: 'ana@mail.example' }),
      )
      equal(sent.status, 303)
      const next = new URL(String(sent.headers.get('location')), app.origin.learn)
      match(
        (await app.request(next.href)).text,
        /<html lang="es".*Admisiones ya tiene tus preguntas/s,
      )
      await app.settle()

      const lead = await app.app.store.findLead(1)
      deepEqual([lead?.language, lead?.owner], ['es', 'maria'])
      const entries = (await app.app.store.readLead(1))?.timeline ?? []
      const assigned = entries.find(({ kind }) => kind === 'assigned')
      equal(assigned?.detail, 'maria: next in turn, speaks Spanish')
      const notification = app.sent.find(({ to }) => to.address === MARIA)
      match(notification?.text ?? '', /^Language: Spanish$/m)

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
      match(done.text, /<h1>Listo, ya no te escribimos</)
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
