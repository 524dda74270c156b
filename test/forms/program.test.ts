/** The question about the program: it stands beside the inquiry, and the lead and the team have the answer. */
import { doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { countRows, onEachEngine } from '../support/engines.ts'
import { openForm, typed } from '../support/forms.ts'

const programs = [{ name: { en: 'Phlebotomy', es: 'Flebotomía' } }, { name: 'Welding' }]
const MARIA = 'maria@school.example'
const settings = { programs, admissions: { counselors: [{ id: 'maria', name: 'Maria Lopez', email: MARIA }] } }

onEachEngine(engine => {
  describe('a form of a school with programs', () => {
    test('asks for one in the language of the person, and lead and notification have it', async t => {
      const app = await startApp(t, { engine, settings })
      const form = await openForm(app, 'student', { query: '?lang=es&program=flebotom%C3%ADa' })
      match(form.page.text, /¿Qué programa te interesa\?.*<option value="Phlebotomy" selected>Flebotomía</s)
      equal((await form.send(typed('student', { program: 'Phlebotomy' }))).status, 303)
      await app.settle()
      equal(await countRows(app.database, 'lead_labels'), 1)
      match(app.sent.find(({ to }) => to.address === MARIA)?.text ?? '', /^Program: Phlebotomy$/m)
    })

    test('counts another answer after a step back as new, and the same one once', async t => {
      const app = await startApp(t, { engine, settings })
      const form = await openForm(app, 'student')
      const values = typed('student')
      for (const program of ['', 'Welding', 'Welding', 'Phlebotomy']) await form.send({ ...values, program })
      equal(await countRows(app.database, 'submissions'), 3)
    })
  })
})

test('a program that the school does not have is not recorded, and the inquiry arrives anyway', async t => {
  const app = await startApp(t, { settings })
  const form = await openForm(app, 'student', { query: '?program=Alchemy' })
  doesNotMatch(form.page.text, / selected>/)
  equal((await form.send(typed('student', { program: 'Alchemy' }))).status, 303)
  await app.settle()
  equal(await countRows(app.database, 'leads'), 1)
  equal(await countRows(app.database, 'lead_labels'), 0)
})

test('a form does not ask about programs if it is hidden, or there are none, or of a workplace', async t => {
  const hidden = await startApp(t, { settings: { ...settings, forms: { student: { fields: { program: 'hidden' } } } } })
  const without = await startApp(t)
  const pages = [await openForm(hidden, 'student'), await openForm(hidden, 'site'), await openForm(without, 'student')]
  for (const { page } of pages) doesNotMatch(page.text, /name="program"/)
})
