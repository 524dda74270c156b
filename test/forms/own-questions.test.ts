/** Questions of the school's own: made in the console, answered in a form, and kept beside the inquiry. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { unzipSync } from 'fflate'
import { startConsole } from '../support/console.ts'
import { countRows, type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asForm, problemAt, readable, typed } from '../support/forms.ts'
import { asked } from '../support/store.ts'

const NAME = 'open-day'

/** What a manager types: one question of each type. */
const form = {
  kind: 'student',
  name: NAME,
  order: 'message',
  'ask-message': 'optional',
  'own-count': '5',
  'own-0-id': 'q1',
  'own-0-label-en': 'Which campus?',
  'own-0-label-es': '¿En qué plantel?',
  'own-0-type': 'choice',
  'own-0-answer': 'required',
  'own-0-choices-en': 'Austin\r\nDallas North',
  'own-0-choices-es': 'Austin\r\nDallas Norte',
  'own-1-id': 'q2',
  'own-1-label-en': 'When can we call?',
  'own-1-type': 'choices',
  'own-1-choices-en': 'Morning\nEvening\nWeekend',
  'own-2-id': 'q3',
  'own-2-label-en': 'Do you have a GED?',
  'own-2-label-es': '¿Tienes el GED?',
  'own-2-type': 'yesno',
  'own-3-id': 'q4',
  'own-3-label-en': 'When could you start?',
  'own-3-type': 'date',
  'own-4-id': 'q5',
  'own-4-label-en': 'Name of a parent',
  'own-4-type': 'text',
}

async function anOpenDay(t: TestContext, engine: Engine = 'sqlite') {
  const service = await startConsole(t, { engine, edits: true })
  const manager = await service.client('manager')
  equal((await manager.post('/forms/new', form)).path, `/forms/embed/${NAME}`)
  const url = `${service.origin.learn}/forms/${NAME}`
  const open = async (query = '') =>
    asForm(service, url, await service.request(`${url}${query}`, { headers: { Accept: 'text/html' } }))
  return { ...service, manager, open }
}

const answers = {
  'own-q1': 'Dallas North',
  'own-q2-1': 'Evening',
  'own-q2-2': 'Weekend',
  'own-q3': 'Yes',
  'own-q4': '2027-01-11',
  'own-q5': 'Marisol Quintanilla',
}

onEachEngine(engine => {
  describe('questions of the school’s own', () => {
    test('are asked in the language of the person, and staff read the answers in the first language of the school', async t => {
      const { manager, open, client, sent, settle, database } = await anOpenDay(t, engine)
      const spanish = await open('?lang=es')
      match(
        spanish.page.text,
        /¿En qué plantel\?.*value="Dallas North">\s*<label[^>]*>Dallas Norte<.*¿Tienes el GED\?.*>Sí</s,
      )
      equal((await spanish.send(typed('student', { ...answers, message: '' }))).status, 303)
      await settle()

      const [row] = await sql(database, 'select body, form from submissions')
      deepEqual(JSON.parse(String(row?.['form'])).answers, [
        { question: 'Which campus?', answer: 'Dallas North' },
        { question: 'When can we call?', answer: 'Evening; Weekend' },
        { question: 'Do you have a GED?', answer: 'Yes' },
        { question: 'When could you start?', answer: '2027-01-11' },
        { question: 'Name of a parent', answer: 'Marisol Quintanilla' },
      ])
      doesNotMatch(String(row?.['body']), /Dallas North|own-/)
      const notification = sent.find(({ id }) => id.startsWith('notify'))?.text ?? ''
      match(notification, /^Which campus\?: Dallas North$/m)
      match(notification, /^When can we call\?: Evening; Weekend$/m)
      match(readable((await manager.get('/leads/1')).text), /Do you have a GED\? Yes/)
      match(
        (await manager.get('/export/leads.csv')).text,
        /Which campus\?: Dallas North\nWhen can we call\?: Evening; Weekend/,
      )
      match((await manager.get('/inbox?q=quintanilla')).text, /href="\/leads\/1"/)
      const admin = await client('admin')
      const zip = await (await admin.fetch('/privacy/people/1/export.zip')).arrayBuffer()
      const files = Object.values(unzipSync(new Uint8Array(zip))).map(bytes => Buffer.from(bytes).toString())
      match(files.join('\n'), /Marisol Quintanilla/)
    })

    test('go with the person who is erased', async t => {
      const { open, app, settle, database, clock } = await anOpenDay(t, engine)
      await (await open()).send(typed('student', { ...answers, email: 'ana@mail.example' }))
      await settle()
      await app.store.erasePerson('ana@mail.example', { ...asked, addressHash: 'hash', now: clock.now() })
      equal(await countRows(database, 'submissions'), 0)
      for (const table of ['timeline', 'lead_words', 'insight_counts', 'lead_facts', 'leads', 'tasks', 'audit_log'])
        doesNotMatch(JSON.stringify(await sql(database, `select * from ${table}`)), /quintanilla/i)
    })
  })
})

test('what must be answered is said beside the question, and everything that was ticked and typed is still there', async t => {
  const { open } = await anOpenDay(t)
  const page = await open()
  const wrong = await page.send(
    typed('student', { ...answers, 'own-q1': 'Paris', 'own-q4': '2027-02-30', 'own-q5': 'x'.repeat(301) }),
  )
  equal(wrong.status, 400)
  equal(problemAt(wrong.text, 'own-q1'), 'Answer this question: Which campus?')
  equal(problemAt(wrong.text, 'own-q5'), 'Use at most 300 characters. It has 301.')
  equal(problemAt(wrong.text, 'own-q4'), undefined)
  match(wrong.text, /name="own-q2-1" value="Evening" checked/)
  doesNotMatch(wrong.text, /name="own-q2-0" value="Morning" checked/)
  match(wrong.text, /name="own-q3" value="Yes" checked>/)
})

test('another answer after a step back is a new inquiry, and the same one is not', async t => {
  const { open, database } = await anOpenDay(t)
  const page = await open()
  const values = typed('student', answers)
  for (const campus of ['Austin', 'Austin', 'Dallas North']) await page.send({ ...values, 'own-q1': campus })
  equal(await countRows(database, 'submissions'), 2)
})

test('the console adds a ready-made question, moves and removes one, and says what is missing', async t => {
  const { manager } = await anOpenDay(t)
  const edit = { ...form, name: 'another' }
  const added = (await manager.post('/forms/new', { ...edit, do: 'own-add:time' })).text
  match(added, /name="own-5-label-es" value="Mejor hora para llamarte"/)
  match(added, /<option value="time" selected>/)
  const moved = (await manager.post('/forms/new', { ...edit, do: 'own-up:1' })).text
  match(moved, /name="own-0-label-en" value="When can we call\?"/)
  const removed = (await manager.post('/forms/new', { ...edit, do: 'own-remove:0' })).text
  match(removed, /name="own-0-label-en" value="When can we call\?"/)
  match(removed, /name="own-count" value="4"/)
  const wrong = await manager.post('/forms/new', { ...edit, 'own-0-choices-en': 'Austin', 'own-0-choices-es': '' })
  equal(wrong.status, 422)
  match(wrong.text, /“Which campus\?”: the answers must be 2 to 20 answers to choose from\./)
})
