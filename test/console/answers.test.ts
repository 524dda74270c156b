/** The answers that students choose from, as managers edit them. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PartialSettings } from '../../src/config/settings.ts'
import { aStudent } from '../support/bodies.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { formUrl, openForm, problemAt, readable, typed, unescaped } from '../support/forms.ts'
import { aSchool } from '../tasks/school.ts'

async function start(t: TestContext, studentInterest?: PartialSettings['studentInterest'], engine: Engine = 'sqlite') {
  const settings = { ...aSchool, ...(studentInterest && { studentInterest }) }
  const service = await startConsole(t, { engine, settings, edits: true })
  const manager = await service.client('manager', { name: 'Dana Kim' })
  const saved = async () => (await service.app.store.listEditedSettings('answers', { limit: 1 }))[0]?.value
  return { ...service, manager, saved }
}

/** What a text field of several lines contains. */
const linesIn = (page: string, name: string): string =>
  unescaped(new RegExp(`<textarea [^>]*name="${name}"[^>]*>([^<]*)<`).exec(page)?.[1] ?? 'no such field')

/** What a manager types for the question about the start. */
const soon = { 'timeline-answers-en': 'Now\n2 - Later', 'timeline-answers-es': 'Ya\nDespués', 'timeline-warm': 'first' }

onEachEngine(engine => {
  test('a question is asked at once, in each language, only these answers are accepted, and undo takes it back', async t => {
    const { manager, ...service } = await start(t, undefined, engine)
    const { site } = service.origin
    doesNotMatch((await service.request(formUrl(service, 'student'))).text, /name="timeline"/)
    match(
      (await manager.get('/forms/edit/student-interest')).text,
      /Start<\/label><a[^>]* href="\/answers">no answers yet/,
    )

    const saved = await manager.post('/answers', { ...soon, replaces: '0' })
    match(readable(saved.text), /Start: Now, Later \(the first answer is the warmest\) instead of no answers\./)
    doesNotMatch((await manager.get('/forms/edit/student-interest')).text, /Start<\/label><a/)
    match(
      (await service.request(formUrl(service, 'student'))).text,
      /value="1 - Now">\s*<label[^>]*>Now<.*value="2 - Later"/s,
    )
    match((await service.request(`${formUrl(service, 'student')}?lang=es`)).text, /value="1 - Now">\s*<label[^>]*>Ya</)
    match((await service.request(`${site}/docs/api.md`)).text, /1 - Now/)
    const refused = await service.postStudent(aStudent({ timeline: '1 - Someday' }))
    equal(refused.status, 400)
    match(refused.text, /1 - Now/)

    const form = await openForm(service, 'student')
    equal((await form.send(typed('student', { timeline: '1 - Now' }))).status, 303)
    await service.settle()
    match(readable((await manager.get('/leads/1')).text), /Hot .*now/i)

    const open = await openForm(service, 'student')
    const [version, replaces] = [fieldOn(saved.text, 'version'), fieldOn(saved.text, 'replaces')]
    await manager.post('/answers/back', { version, replaces })
    doesNotMatch((await service.request(formUrl(service, 'student'))).text, /name="timeline"/)
    const late = await open.send(typed('student', { timeline: '1 - Now', email: 'late@mail.example' }))
    equal(late.status, 303)
  })
})

test('answers whose words stay the same keep their ranks; others get new ones, and the warmest stays where it was', async t => {
  const allowed = ['5 - Now', '3 - Soon', '1 - Later']
  const timeline = { allowed, hotter: 'high' as const, labels: { es: ['Ya', 'Pronto', 'Después'] } }
  const { manager, saved } = await start(t, { answers: { timeline } })
  const page = (await manager.get('/answers')).text
  equal(linesIn(page, 'timeline-answers-en'), 'Now\nSoon\nLater')
  match(page, /<option value="first" selected>/)
  const typed = { 'timeline-answers-en': 'Now\nSoon\nLater', 'timeline-answers-es': 'Ya\nPronto\nLuego' }
  await manager.post('/answers', { ...typed, 'timeline-warm': 'first', replaces: '0' })
  deepEqual(await saved(), { timeline: { ...timeline, labels: { es: ['Ya', 'Pronto', 'Luego'] } } })

  const more = { 'timeline-answers-en': 'Now\nSoon\nLater\nNever', 'timeline-warm': 'first' }
  const replaces = fieldOn((await manager.get('/answers')).text, 'replaces')
  await manager.post('/answers', { ...more, replaces })
  deepEqual(await saved(), { timeline: { allowed: ['1 - Now', '2 - Soon', '3 - Later', '4 - Never'], hotter: 'low' } })
})

test('a language that lacks an answer is said beside the question, and nothing is saved', async t => {
  const { manager, saved } = await start(t)
  const uneven = await manager.post('/answers', { ...soon, 'timeline-answers-es': 'Ya', replaces: '0' })
  equal(uneven.status, 422)
  match(uneven.text, /<p class="problem" id="[^"]+">[^<]* must have \d+ lines, one for each answer, and has \d+\.<\/p>/)
  equal(linesIn(uneven.text, 'timeline-answers-es'), 'Ya')
  equal(await saved(), undefined)
})

test('suggested answers are in every language of the school, and are saved only with the button', async t => {
  const { manager, saved } = await start(t)
  const { text } = await manager.post('/answers', { do: 'suggest:source', replaces: '0' })
  match(linesIn(text, 'source-answers-en'), /^A search engine\nSocial media\n/)
  match(linesIn(text, 'source-answers-es'), /^Un buscador\nRedes sociales\n/)
  equal(await saved(), undefined)
  const answers = { 'source-answers-en': linesIn(text, 'source-answers-en') }
  equal((await manager.post('/answers', { ...answers, replaces: '0' })).status, 200)
  match(JSON.stringify(await saved()), /"1 - A search engine".*"6 - An event"/)
})

test('someone whose answer is no longer offered is asked again, with everything else kept', async t => {
  const { manager, ...service } = await start(t)
  await manager.post('/answers', { ...soon, replaces: '0' })
  const form = await openForm(service, 'student')
  const replaces = fieldOn((await manager.get('/answers')).text, 'replaces')
  await manager.post('/answers', { 'timeline-answers-en': 'This year\nNext year', replaces })
  const late = await form.send(typed('student', { timeline: '1 - Now', message: 'Hello' }))
  equal(late.status, 400)
  match(problemAt(late.text, 'timeline') ?? '', /Select from the list when you would like to start/)
  match(late.text, />\s*Hello<\/textarea>/)
})
