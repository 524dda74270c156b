/** Questions that follow from an answer, hidden fields, and what the URL may fill in: the server decides. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { fieldOn, startConsole } from '../support/console.ts'
import { countRows, type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asForm, problemAt, readable, typed } from '../support/forms.ts'
import { conditional, NAME } from './conditional-form.ts'

async function anOpenDay(t: TestContext, engine: Engine = 'sqlite') {
  const service = await startConsole(t, { engine, edits: true })
  const manager = await service.client('manager')
  equal((await manager.post('/forms/new', conditional)).path, `/forms/embed/${NAME}`)
  const url = `${service.origin.learn}/forms/${NAME}`
  const open = async (query = '') =>
    asForm(service, url, await service.request(`${url}${query}`, { headers: { Accept: 'text/html' } }))
  return { ...service, manager, open, url }
}

onEachEngine(engine => {
  test('an answer to a question that does not follow is not recorded, and one that follows is asked once', async t => {
    const { manager, open, settle, database } = await anOpenDay(t, engine)
    const sent = typed('student', { 'own-q1': 'No', 'own-q2': 'Night', 'own-q3': 'By bus' })
    equal((await (await open()).send(sent)).status, 303)
    const form = await open()
    const values = typed('student', { 'own-q1': 'Yes', 'own-q2': '' })
    const asked = await form.send(values)
    equal(asked.status, 400)
    equal(problemAt(asked.text, 'own-q2'), 'Because of an answer above, we ask this, too')
    equal(problemAt(asked.text, 'own-q3'), undefined)
    const again = await form.send({ ...values, askedThen: 'own-q2' })
    equal(problemAt(again.text, 'own-q2'), 'Answer this question: Which shift?')
    equal((await form.send({ ...values, 'own-q2': 'Day', askedThen: 'own-q2' })).status, 303)
    equal(await countRows(database, 'submissions'), 2)
    await settle()
    const answers = (await sql(database, 'select form from submissions order by id')).map(({ form }) =>
      JSON.parse(String(form)).answers.map(({ answer }: { answer: string }) => answer),
    )
    deepEqual(answers, [
      ['No', 'direct'],
      ['Yes', 'Day', 'direct'],
    ])
    match(readable((await manager.get('/leads/1')).text), /Partner direct/)
  })
})

describe('the URL of a form', () => {
  test('fills in what the form allows, as plain text, and nothing else', async t => {
    const { open } = await anOpenDay(t)
    const query = '?firstName=Eve%22%3E%3Cb%3E&lastName=Secret&own-q1=s%C3%AD&own-q4=fair&consent=yes&token=x&lang=es'
    const { page, hidden } = await open(query)
    match(page.text, /id="firstName"[^>]* value="Eve&quot;&gt;&lt;b&gt;"/)
    doesNotMatch(page.text, /Secret|name="consent"[^>]* checked/)
    match(page.text, /name="own-q1" value="Yes" checked>\s*<label[^>]*>Sí</)
    equal(hidden['own-q4'], 'fair')
    // What follows from the answer is there at once, and the other language of the form keeps all of it.
    match(page.text, /data-if="own-q1" data-is="Yes">/)
    match(page.text, /href="[^"]*lang=en&amp;[^"]*firstName=Eve/)
  })
})

test('the editor offers earlier answers, keeps what it has, and says where an answer is no longer there', async t => {
  const { manager } = await anOpenDay(t)
  const { text } = await manager.get(`/forms/edit/${NAME}`)
  match(text, /<option value="q1=Yes" selected>Only if “Do you work\?” is: Yes</)
  match(text, /name="own-3-value" value="direct"/)
  match(text, /name="prefill-email" checked/)
  doesNotMatch(text, /name="prefill-phone" checked/)
  const wrong = await manager.post(`/forms/edit/${NAME}`, { ...conditional, 'own-1-choices-en': 'Day\r\nEvening' })
  equal(wrong.status, 422)
  match(readable(wrong.text), /must be an answer to an earlier question of this form/)
  const later = await manager.post('/forms/new', { ...conditional, name: 'later', 'own-0-if': 'q2=Night' })
  equal(later.status, 422)
  const preview = await manager.post('/forms/preview', conditional)
  match(preview.text, /How do you get home\?/)
  doesNotMatch(preview.text, /data-if="[^"]*" data-is="[^"]*" hidden/)
})

test('a condition means the same answer after that is renamed, and never another one', async t => {
  const { manager, url, open } = await anOpenDay(t)
  const edit = `/forms/edit/${NAME}`
  const page = await manager.get(edit)
  const fields = { ...conditional, seen: fieldOn(page.text, 'seen'), 'own-1-was': fieldOn(page.text, 'own-1-was') }
  equal(fields['own-1-was'], 'Day\nNight')
  equal((await manager.post(edit, { ...fields, 'own-1-choices-en': 'Day\r\nEvening' })).status, 200)
  match((await open()).page.text, /data-if="own-q2" data-is="Evening"/)
  const again = await manager.get(edit)
  const swapped = {
    ...fields,
    'own-1-was': 'Day\nEvening',
    'own-2-if': 'q2=Evening',
    seen: fieldOn(again.text, 'seen'),
  }
  equal((await manager.post(edit, { ...swapped, 'own-1-choices-en': 'Evening\r\nDay' })).status, 200)
  match((await open()).page.text, /data-if="own-q2" data-is="Evening"/)
  equal(url.endsWith(NAME), true)
})

test('what may be left out is asked without the look of an error', async t => {
  const { open } = await anOpenDay(t)
  const form = await open()
  const asked = await form.send(typed('student', { 'own-q1': 'Yes', 'own-q2': 'Night', askedThen: 'own-q2' }))
  equal(asked.status, 400)
  match(readable(asked.text), /Your answers lead to another question Because of an answer above, we ask this, too/)
  doesNotMatch(asked.text, /<title>Error|aria-invalid="|class="problem"/)
  match(asked.text, /<p class="hint" id="own-q3-problem"/)
})
