/** The forms that a school makes in its console: made, copied, changed, archived, put into a website, and filled in. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { defaultSettings } from '../../src/config/settings.ts'
import type { EmailAddress } from '../../src/leads/body/email.ts'
import type { TestResponse } from '../support/app.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asForm, problemAt, readable, typed, unescaped } from '../support/forms.ts'

const NAME = 'phlebotomy-austin'
const settings = {
  programs: [{ name: 'Phlebotomy' }, { name: 'Welding' }],
  admissions: { counselors: [{ id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' as EmailAddress }] },
}

/** What a manager types for a form of one program at one campus. */
const phlebotomy = {
  kind: 'student',
  name: NAME,
  'title-en': 'Phlebotomy in Austin',
  'title-es': 'Flebotomía en Austin',
  'introduction-en': 'Evening classes, eight weeks.',
  'sent-en': 'We call you from Austin.',
  order: 'city state program timeline interestLevel experience employer source message',
  'ask-message': 'required',
  'ask-city': 'optional',
  program: 'Phlebotomy',
  source: 'open day',
}

async function aSchool(t: TestContext, engine: Engine = 'sqlite') {
  const service = await startConsole(t, { engine, settings, edits: true })
  const manager = await service.client('manager', { name: 'Dana Kim' })
  const url = `${service.origin.learn}/forms/${NAME}`
  const open = async (query = '') => {
    const headers = { Accept: 'text/html' }
    return asForm(service, `${url}${query}`, await service.request(`${url}${query}`, { headers, redirect: 'manual' }))
  }
  return { ...service, manager, url, open }
}

/** The names of the fields that people see, in their order. */
const fieldsOn = ({ text }: TestResponse): string[] =>
  Array.from(text.matchAll(/<(?:div|fieldset) class="field (\w+)(?: boxes)?" part="field"/g), ([, name = '']) => name)

onEachEngine(engine => {
  describe('a form that a manager makes', () => {
    test('is a page at its name at once, with its own words, questions and program, and its lead says so', async t => {
      const { manager, open, app, ...service } = await aSchool(t, engine)
      equal((await open()).page.status, 404)
      const made = await manager.post('/forms/new', phlebotomy)
      equal(made.path, `/forms/embed/${NAME}`)

      const form = await open()
      match(form.page.text, /<h1[^>]*>Phlebotomy in Austin<.*Evening classes, eight weeks\./s)
      match((await open('?lang=es')).page.text, /<h1[^>]*>Flebotomía en Austin</)
      deepEqual(fieldsOn(form.page), ['firstName', 'lastName', 'email', 'phone', 'city', 'message'])
      const missing = await form.send(typed('student', { message: '' }))
      equal(missing.status, 400)
      match(problemAt(missing.text, 'message') ?? '', /./)
      const sent = await form.send(typed('student', { message: 'When?', email: 'ana@mail.example' }))
      equal(sent.status, 303)
      const thanks = await service.request(new URL(sent.headers.get('location') ?? '', service.origin.learn).href)
      match(thanks.text, /We call you from Austin\./)
      await service.settle()

      const lead = await app.store.findLead(1)
      deepEqual([lead?.form, lead?.program, lead?.cameFrom], [NAME, 'Phlebotomy', 'open day'])
      match(
        service.sent.find(({ to }) => to.address === 'maria@school.example')?.text ?? '',
        /^Form: Phlebotomy in Austin\s·/m,
      )
      match(readable((await manager.get('/leads/1')).text), /Form Phlebotomy in Austin Came from/)
      match((await manager.get(`/inbox?form=${NAME}`)).text, /href="\/leads\/1"/)
      doesNotMatch((await manager.get('/inbox?form=student-interest')).text, /href="\/leads\/1"/)
      match((await manager.get(`/export/leads.csv?form=${NAME}`)).text, /phlebotomy-austin/)
      while (await app.store.countLeads({ school: defaultSettings.school, limit: 50 }));
      match(readable((await manager.get('/insight?range=year')).text), /Form .*phlebotomy-austin 1/)
    })

    test('leads to the first of its kind once it is archived, and still accepts what someone had open', async t => {
      const { manager, open, app, ...service } = await aSchool(t, engine)
      await manager.post('/forms/new', phlebotomy)
      const opened = await open()
      const replaces = fieldOn((await manager.get('/forms')).text, 'replaces')
      const archived = await manager.post('/forms/archive', { name: NAME, state: 'archived', replaces })
      match(archived.text, /phlebotomy-austin is archived/)
      const { page } = await open('?utm_campaign=spring')
      equal(page.status, 303)
      match(page.headers.get('location') ?? '', /\/forms\/student-interest\?lang=en&utm_campaign=spring$/)
      equal((await opened.send(typed('student', { message: 'When?' }))).status, 303)
      await service.settle()
      equal((await app.store.findLead(1))?.form, NAME)
      const undone = await manager.post('/forms/back', {
        version: fieldOn(archived.text, 'version'),
        replaces: fieldOn(archived.text, 'replaces'),
      })
      equal(undone.path, '/forms')
      equal((await open()).page.status, 200)
    })
  })
})

test('the two forms of the settings file are the first, are edited in the same way, and cannot be archived', async t => {
  const { manager, origin, request } = await aSchool(t)
  const list = readable((await manager.get('/forms')).text)
  match(list, /Students .*\/forms\/student-interest.* Sites .*\/forms\/site-interest/)
  const edit = { ...phlebotomy, name: 'another-name', 'ask-message': 'optional', 'ask-program': 'required' }
  const page = await manager.get('/forms/edit/student-interest')
  const saved = await manager.post('/forms/edit/student-interest', { ...edit, seen: fieldOn(page.text, 'seen') })
  match(saved.text, /Phlebotomy in Austin is changed/)
  const form = await request(`${origin.learn}/forms/student-interest`)
  deepEqual(fieldsOn(form), ['firstName', 'lastName', 'email', 'phone', 'city', 'program', 'message'])
  const refused = await manager.post('/forms/archive', {
    name: 'student-interest',
    state: 'archived',
    replaces: fieldOn(saved.text, 'replaces'),
  })
  equal(refused.status, 422)
  match(refused.text, /this form always stays/)
})

test('what is wrong with a form stands beside its field, with everything that was typed, and nothing is saved', async t => {
  const { manager, app } = await aSchool(t)
  const wrong = await manager.post('/forms/new', { ...phlebotomy, name: 'A', sentUrl: 'example.edu' })
  equal(wrong.status, 422)
  match(wrong.text, /URL of the form must be a short name such as phlebotomy-austin\./)
  match(wrong.text, /A page of yours must be a URL such as/)
  match(wrong.text, /value="Flebotomía en Austin"/)
  const taken = await manager.post('/forms/new', { ...phlebotomy, name: 'student-interest' })
  match(taken.text, /another form is called student-interest/)
  deepEqual(await app.store.listEditedSettings('forms', { limit: 9 }), [])
})

test('a new form gets its URL from its title, unless someone typed another one', async t => {
  const { manager } = await aSchool(t)
  const open = (await manager.get('/forms/new?kind=student')).text
  match(open, /name="title-en".*name="name".*name="introduction-en"/s)
  equal(fieldOn(open, 'name'), '')
  const nameless = { ...phlebotomy, name: '' }
  equal((await manager.post('/forms/new', nameless)).path, '/forms/embed/phlebotomy-in-austin')
  equal((await manager.post('/forms/new', nameless)).path, '/forms/embed/phlebotomy-in-austin-2')
  const byScript = { ...phlebotomy, name: 'phlebotomy-in-austin' }
  equal((await manager.post('/forms/new', byScript)).path, '/forms/embed/phlebotomy-in-austin-3')
  const typed = { ...phlebotomy, name: ' Fair of 2027! ' }
  equal((await manager.post('/forms/new', typed)).path, '/forms/embed/fair-of-2027')
  const other = { ...nameless, 'title-en': '抽血', 'title-es': '' }
  equal((await manager.post('/forms/new', other)).path, '/forms/embed/student')
})

test('a new form begins with the questions that matter for a call; a copy has those of its form', async t => {
  const { manager } = await aSchool(t)
  const asked = (text: string) =>
    Array.from(text.matchAll(/name="ask-(\w+)">(?:(?!<\/select>).)*value="optional" selected/gs), ([, name]) => name)
  deepEqual(asked((await manager.get('/forms/new?kind=student')).text), ['state', 'program', 'message'])
  ok(asked((await manager.get('/forms/new?from=student-interest')).text).length > 5)
})

test('a question moves up, and stays where it was put', async t => {
  const { manager, open } = await aSchool(t)
  const moved = await manager.post('/forms/new', { ...phlebotomy, do: 'up:message' })
  equal(moved.status, 200)
  const order = fieldOn(moved.text, 'order')
  match(order, /^message city /)
  await manager.post('/forms/new', { ...phlebotomy, order })
  deepEqual(fieldsOn((await open()).page).slice(-2), ['message', 'city'])
})

test('someone who was slower sees that another manager has changed the form, and keeps what they typed', async t => {
  const { manager, ...service } = await aSchool(t)
  await manager.post('/forms/new', phlebotomy)
  const seen = fieldOn((await manager.get(`/forms/edit/${NAME}`)).text, 'seen')
  const other = await service.client('manager', { name: 'Lee Park' })
  await other.post(`/forms/edit/${NAME}`, { ...phlebotomy, seen, 'title-en': 'Blood' })
  const late = await manager.post(`/forms/edit/${NAME}`, { ...phlebotomy, seen, 'title-en': 'Veins' })
  equal(late.status, 409)
  match(late.text, /Lee Park changed the forms while you were editing/)
  match(late.text, /value="Veins"/)
})

test('the preview of a form in two steps shows both, one below the other', async t => {
  const { manager } = await aSchool(t)
  const typed = { kind: 'student', name: 'two', order: 'message', 'ask-message': 'optional', steps: 'on' }
  const { text } = await manager.post('/forms/preview', typed)
  match(text, /name="phone".*You are on our list.*name="message"/s)
  equal([...text.matchAll(/<main\b/g)].length, 1)
  equal([...text.matchAll(/id="firstName"/g)].length, 1)
})

test('a copy has everything but the name; the preview shows what is typed, in each language, light and dark', async t => {
  const { manager } = await aSchool(t)
  await manager.post('/forms/new', phlebotomy)
  const copy = (await manager.get(`/forms/new?from=${NAME}`)).text
  equal(fieldOn(copy, 'name'), `${NAME}-2`)
  equal(fieldOn(copy, 'title-es'), 'Flebotomía en Austin')
  const shown = await manager.post('/forms/preview', {
    ...phlebotomy,
    'title-es': '<b>Sangre</b>',
    sentUrl: 'https://',
    'preview-language': 'es',
    'preview-theme': 'dark',
  })
  match(shown.text, /<html lang="es" dir="ltr" class="dark">/)
  match(shown.text, /<h1[^>]*>&lt;b&gt;Sangre&lt;\/b&gt;</)
  match(shown.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox allow-same-origin$/)
})

test('its page in the console has a code to print and the lines for a website', async t => {
  const { manager } = await aSchool(t)
  await manager.post('/forms/new', phlebotomy)
  const page = (await manager.get(`/forms/embed/${NAME}`)).text
  // Without the colors.
  const text = page.replace(/<\/?span[^>]*>/g, '')
  match(unescaped(text), /<iframe src="http:[^"]*\/forms\/phlebotomy-austin\?embed=iframe"/)
  match(unescaped(text), /<frontdesk-form kind="student" form="phlebotomy-austin">/)
  const [, preloaded = ''] = /<link rel="preload" as="fetch" crossorigin\s+href="([^"]*)">/.exec(unescaped(text)) ?? []
  match(unescaped(preloaded), /\/forms\/phlebotomy-austin\?embed=element&lang=en$/)
  match(unescaped(text), /href="http:[^"]*\/forms\/phlebotomy-austin\?kiosk=yes&utm_source=open-day"/)
  const code = await manager.fetch(`/forms/code/${NAME}`)
  equal(code.headers.get('content-type'), 'image/svg+xml')
  match(await code.text(), /^<svg/)
})

test('its link, its code and its lines follow the campaign, the language and the colors that someone chooses', async t => {
  const { manager } = await aSchool(t)
  await manager.post('/forms/new', phlebotomy)
  const chosen = 'utm_source=ig&utm_campaign=Fall+%22a%22&program=&lang=es&theme=dark'
  const page = (await manager.get(`/forms/embed/${NAME}?${chosen}`)).text
  const text = unescaped(unescaped(page.replace(/<\/?span[^>]*>/g, '')))
  const query = 'utm_source=ig&utm_campaign=Fall\\+%22a%22&lang=es&theme=dark'
  match(text, new RegExp(`forms/phlebotomy-austin\\?${query}"`))
  match(text, new RegExp(`forms/phlebotomy-austin\\?kiosk=yes&${query}"`))
  match(text, new RegExp(`<iframe src="[^"]*\\?embed=iframe&${query}"[^>]*color-scheme: dark"`))
  match(text, /lang="es" theme="dark" campaign="utm_source=ig&utm_campaign=Fall\+%22a%22">/)
  match(text, /embed=element&lang=es">/)
  match(text, /<iframe[^>]*title="Flebotomía en Austin"/)
  match(text, /<frontdesk-form[^>]*>\s*<a href="[^"]*">Flebotomía en Austin</)
  const svg = async (query: string) => (await manager.fetch(`/forms/code/${NAME}${query}`)).text()
  match(page, new RegExp(`src="/forms/code/${NAME}\\?utm_source=ig&amp;`))
  ok((await svg(`?${chosen}`)) !== (await svg('')))
  equal(await svg('?theme=%22%3E&lang=xx&program=none'), await svg(''), 'what cannot be chosen is left out')
})

test('an iframe is light unless its URL says otherwise', async t => {
  const { origin, request } = await aSchool(t)
  const page = async (query: string) => (await request(`${origin.learn}/forms/student-interest${query}`)).text
  match(await page('?embed=iframe'), /<html lang="en" dir="ltr" class="light">/)
  match(await page('?embed=iframe&theme=dark'), /<html lang="en" dir="ltr" class="dark">/)
  match(await page('?embed=iframe&theme=auto'), /<html lang="en" dir="ltr">/)
  match(await page(''), /<html lang="en" dir="ltr">/)
})

onEachEngine(engine => {
  test('how often a form was seen, begun and sent is counted, each inquiry once, and added up', async t => {
    const { manager, open, url, request, app, clock, close, database } = await aSchool(t, engine)
    await manager.post('/forms/new', phlebotomy)
    const counts = {
      form: NAME,
      day: new Date(clock.now()).toISOString().slice(0, 10),
      seen: 10,
      begun: 4,
      sent: 1,
      rest_begun: 0,
      rest_sent: 0,
    }
    await app.store.addFormCounts([counts])
    await app.store.addFormCounts([
      { ...counts, seen: 1, begun: 1, sent: 0 },
      { ...counts, form: 'student-interest', sent: 8 },
    ])
    const list = readable((await manager.get('/forms')).text)
    match(
      list,
      /phlebotomy-austin Phlebotomy 2 of its texts lack a language\. Show them phlebotomy-austin Seen 11 Begun 5 Sent 1 Sent in 9% of views/,
    )
    match(list, /student-interest Seen 10 Begun 8 Sent 8 Sent in 80% of views/, 'a form that was sent was begun')
    const old = { ...counts, day: '2025-01-01' }
    await app.store.addFormCounts([old])
    equal(readable((await manager.get('/forms')).text), list)

    const form = await open()
    const begun = url.replace('/forms/', '/forms/begun/')
    equal((await request(begun, { method: 'POST' })).status, 204)
    equal((await request(`${begun}-other`, { method: 'POST' })).status, 404)
    const values = typed('student', { message: 'When?' })
    for (const _ of [1, 2]) equal((await form.send(values)).status, 303)
    equal((await form.send({ ...values, message: '' })).status, 400)
    await close()
    const [row] = await sql(
      database,
      `select seen, begun, sent from form_counts where form = '${NAME}' and day > '2026'`,
    )
    deepEqual([row?.['seen'], row?.['begun'], row?.['sent']].map(Number), [12, 6, 2])
  })
})

test('our questions and the button speak the words of the school, in each language, and so do their errors', async t => {
  const { manager, open, settle } = await aSchool(t)
  const made = await manager.post('/forms/new', {
    ...phlebotomy,
    'button-en': 'Get a call',
    'button-es': 'Quiero una llamada',
    'label-message-en': 'What would you like to know?',
    'label-message-es': '¿Qué te gustaría saber?',
    'label-phone-en': 'Mobile phone',
  })
  equal(made.path, `/forms/embed/${NAME}`)
  const form = await open()
  match(form.page.text, /<label for="message"[^>]*>What would you like to know\?<\/label>/)
  match(form.page.text, /<label for="phone"[^>]*>Mobile phone<\/label>/)
  match(form.page.text, /<button part="button">Get a call<\/button>/)
  const spanish = await open('?lang=es')
  match(spanish.page.text, /<label for="message"[^>]*>¿Qué te gustaría saber\?<\/label>/)
  match(spanish.page.text, /<button part="button">Quiero una llamada<\/button>/)
  // Where a language has no words, the form says what the empty field of the editor shows.
  const edited = (await manager.get(`/forms/edit/${NAME}`)).text
  for (const [field, shown] of [
    ['introduction-es', /<p class="introduction"[^>]*>([^<]*)/],
    ['label-phone-es', /<label for="phone"[^>]*>([^<]*)/],
    ['consent-es', /<label for="consent"[^>]*>([^<]*)/],
  ] as const) {
    const [, empty] = new RegExp(`name="${field}"[^>]* placeholder="([^"]*)"`).exec(edited) ?? []
    ok(empty)
    equal(shown.exec(spanish.page.text)?.[1], empty)
  }
  match(edited, /name="sent-es"[^>]* placeholder="Alguien de admisiones te va a llamar [^"{]+"/)

  const wrong = await form.send(typed('student', { message: '', phone: '12' }))
  equal(problemAt(wrong.text, 'message'), 'Answer this question: What would you like to know?')
  match(problemAt(wrong.text, 'phone') ?? '', /^Enter your whole phone number/)
  const long = await form.send(typed('student', { message: 'a'.repeat(1501) }))
  equal(problemAt(long.text, 'message'), 'Use at most 1500 characters. It has 1501.')
  equal((await form.send(typed('student', { message: 'When?' }))).status, 303)
  await settle()
  match(readable((await manager.get('/leads/1')).text), /What they wrote .* When\?/)

  const editor = readable((await manager.get(`/forms/edit/${NAME}`)).text)
  match(editor, /Its question "Mobile phone" has no text in Spanish/)
  match(
    editor,
    /Its introduction has no text in Spanish: people who chose Spanish read the words that come with Frontdesk\./,
  )
  const own = fieldOn((await manager.get(`/forms/edit/${NAME}`)).text, 'label-message-es')
  equal(own, '¿Qué te gustaría saber?')
})

test('names the question whose list of answers is still empty', async t => {
  const { manager } = await aSchool(t)
  const campus = { 'own-count': '1', 'own-0-id': 'q1', 'own-0-label-en': 'Which campus?', 'own-0-type': 'campus' }
  const refused = await manager.post('/forms/new', { ...phlebotomy, ...campus, 'own-0-answer': 'optional' })
  equal(refused.status, 422)
  const words = 'The question “Which campus\\?” has no answers to choose from\\. Write one on each line\\.'
  match(refused.text, new RegExp(`<a href="#own-0-choices-en">${words}</a>`))
  match(refused.text, new RegExp(`<p class="problem">${words}</p>`))
})

test('a question of the school stands before one of ours, and follows only from an answer that comes before it', async t => {
  const { manager, open } = await aSchool(t)
  const shift = { 'own-count': '1', 'own-0-id': 'q1', 'own-0-label-en': 'Which shift?', 'own-0-type': 'text' }
  const asked = { ...phlebotomy, ...shift, 'own-0-answer': 'optional', 'ask-program': 'optional' }
  const order = async () =>
    Array.from((await open()).page.text.matchAll(/class="field ([\w-]+)(?: boxes)?" part="field"/g), ([, name]) => name)
  await manager.post('/forms/new', { ...asked, 'own-0-before': 'city' })
  deepEqual((await order()).slice(-4), ['own-q1', 'city', 'program', 'message'])

  const editor = await manager.get(`/forms/edit/${NAME}`)
  match(editor.text, /<option value="city" selected>Before: City<\/option>/)
  const edit = { ...asked, seen: fieldOn(editor.text, 'seen'), 'own-0-if': 'program=Welding' }
  const early = await manager.post(`/forms/edit/${NAME}`, { ...edit, 'own-0-before': 'city' })
  equal(early.status, 422)
  match(early.text, /“Which shift\?”: the condition must be an answer to an earlier question of this form/)
  const late = await manager.post(`/forms/edit/${NAME}`, { ...edit, 'own-0-before': 'message' })
  match(late.text, /Phlebotomy in Austin is changed/)
  deepEqual((await order()).slice(-2), ['own-q1', 'message'])
})
