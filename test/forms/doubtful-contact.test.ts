/** A form asks about an address or a number that looks wrong, once, and takes what the person says. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { countRows, onEachEngine } from '../support/engines.ts'
import { asForm, formUrl, openForm, problemAt, typed } from '../support/forms.ts'

const TYPO = 'ana@gmail.con'

const addressOf = async (app: TestApp): Promise<string | null | undefined> => {
  await app.settle()
  return (await app.app.store.findLead(1))?.email
}

onEachEngine(engine => {
  describe('a form with an address that looks wrong', () => {
    const sendTypo = async (t: TestContext, over = {}) => {
      const app = await startApp(t, { engine })
      const values = typed('student', { email: TYPO, ...over })
      const answer = await (await openForm(app, 'student')).send(values)
      equal(answer.status, 400)
      equal(await countRows(app.database, 'submissions'), 0)
      return { app, values, answer, again: asForm(app, formUrl(app, 'student'), answer) }
    }

    test('asks whether another was meant, and uses that if the person ticks it', async t => {
      const { app, values, answer, again } = await sendTypo(t)
      equal(problemAt(answer.text, 'email'), `Did you mean ana@gmail.com? If ${TYPO} is right, send the form again.`)
      match(answer.text, /name="emailSuggested" value="ana@gmail\.com">\s*<label[^>]*>Yes, use ana@gmail\.com</)
      equal((await again.send({ ...values, emailSuggested: 'ana@gmail.com' })).status, 303)
      equal(await addressOf(app), 'ana@gmail.com')
    })

    test('takes it as it is when it is sent again', async t => {
      const { app, values, again } = await sendTypo(t)
      equal((await again.send(values)).status, 303)
      equal(await addressOf(app), TYPO)
    })

    test('takes the address that the person has typed since, even if the box is ticked', async t => {
      const { app, values, again } = await sendTypo(t)
      equal((await again.send({ ...values, email: 'ana@mail.example', emailSuggested: 'ana@gmail.com' })).status, 303)
      equal(await addressOf(app), 'ana@mail.example')
    })

    test('says what is wrong with other fields at the same time, and does not ask twice', async t => {
      const { app, values, answer, again } = await sendTypo(t, { lastName: '' })
      equal(problemAt(answer.text, 'lastName'), 'Enter your last name')
      match(problemAt(answer.text, 'email') ?? '', /^Did you mean/)
      equal((await again.send({ ...values, lastName: 'Ruiz' })).status, 303)
      equal(await addressOf(app), TYPO)
    })

    test('takes it at once if it had to wait for a connection: no one may be there to answer', async t => {
      const app = await startApp(t, { engine })
      const form = await openForm(app, 'student')
      equal((await form.send(typed('student', { email: TYPO, waited: 'yes' }))).status, 303)
    })
  })
})

const ENGLISH = 'Is 000-000-0000 right? If it is, send the form again.'

test('a form asks about a number that looks wrong, in Spanish, too, and about a workplace', async t => {
  const app = await startApp(t)
  for (const [query, sentences] of [
    ['', { student: ENGLISH, site: ENGLISH }],
    [
      '?lang=es',
      {
        student: '¿Está bien 000-000-0000? Si es así, envía el formulario otra vez.',
        site: '¿Está bien 000-000-0000? Si es así, envíe el formulario otra vez.',
      },
    ],
  ] as const) {
    for (const kind of ['student', 'site'] as const) {
      const values = typed(kind, { phone: '000-000-0000' })
      const answer = await (await openForm(app, kind, { query })).send(values)
      deepEqual([answer.status, problemAt(answer.text, 'phone')], [400, sentences[kind]])
      equal((await asForm(app, formUrl(app, kind), answer).send(values)).status, 303)
    }
  }
})
