/** The question about the program: it stands beside the inquiry, and the lead and the team have the answer. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings, type PartialSettings } from '../../src/config/settings.ts'
import type { EmailAddress } from '../../src/leads/body/email.ts'
import { HOUR } from '../../src/platform/time.ts'
import { startApp, withoutFollowUp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { countRows, onEachEngine } from '../support/engines.ts'
import { openForm, problemAt, typed, unescaped } from '../support/forms.ts'

const programs = [{ name: { en: 'Phlebotomy', es: 'Flebotomía' } }, { name: 'Welding' }]
const facts = { cost: '$1,200', starts: { en: 'May 4', es: '4 de mayo' } }
const MARIA = 'maria@school.example'
const counselors = [
  { id: 'sam', name: 'Sam Reed', email: 'sam@school.example' as EmailAddress },
  { id: 'maria', name: 'Maria Lopez', email: MARIA as EmailAddress, weight: 0, programs: ['Phlebotomy'] },
]
const settings = { programs, admissions: { counselors } } satisfies PartialSettings

onEachEngine(engine => {
  describe('a form of a school with programs', () => {
    test('asks for one in the language of the person, and lead and notification have it', async t => {
      const app = await startApp(t, { engine, settings })
      const form = await openForm(app, 'student', { query: '?lang=es&program=flebotom%C3%ADa' })
      match(form.page.text, /¿Qué programa te interesa\?.*value="Phlebotomy" checked>\s*<label[^>]*>Flebotomía</s)
      equal((await form.send(typed('student', { program: 'Phlebotomy' }))).status, 303)
      await app.settle()
      equal(await countRows(app.database, 'lead_labels'), 1)
      match(app.sent.find(({ to }) => to.address === MARIA)?.text ?? '', /^Program: Phlebotomy$/m)
    })

    test('leads to its counselor, and the receipt says what it costs, in the language of the person', async t => {
      const [phlebotomy, welding] = programs
      const priced = { ...settings, programs: [{ ...phlebotomy, ...facts }, welding] as typeof settings.programs }
      const app = await startApp(t, { engine, settings: priced })
      const form = await openForm(app, 'student', { query: '?lang=es' })
      await form.send(typed('student', { program: 'Phlebotomy', email: 'ana@mail.example' }))
      const other = await openForm(app, 'student')
      await other.send(typed('student', { program: 'Welding', email: 'ben@mail.example' }))
      await app.settle()
      const receiptOf = (address: string) =>
        app.sent.find(({ id, to }) => id.startsWith('receipt') && to.address === address)?.text ?? ''
      match(receiptOf('ana@mail.example'), /Lo principal sobre Flebotomía:\s+Costo: \$1,200\s+Inicio: 4 de mayo/)
      match(receiptOf('ana@mail.example'), /Soy Maria Lopez/)
      match(receiptOf('ben@mail.example'), /I'm Sam Reed/)
      doesNotMatch(receiptOf('ben@mail.example'), /at a glance/)
      const { lead, timeline } = (await app.app.store.readLead(1)) ?? {}
      equal(lead?.program, 'Phlebotomy')
      match(timeline?.find(({ kind }) => kind === 'assigned')?.detail ?? '', /^maria: program Phlebotomy$/)
    })

    test('is what insight counts by and lists find, and follows what staff say the person wants', async t => {
      const app = await startConsole(t, { engine, settings })
      const manager = await app.client('manager')
      const form = await openForm(app, 'student')
      const email = 'ana@mail.example'
      await form.send(typed('student', { email, program: 'Welding' }))
      await app.settle()
      const { store } = app.app
      const by = { actor: 'sam', now: app.clock.now() }
      const counted = async () => {
        while (await store.countLeads({ school: defaultSettings.school, limit: 50 }));
        const day = new Date(app.clock.now()).toISOString().slice(0, 10)
        const { by: splits } = await store.readInsight({ from: '2026-01-01', to: day })
        return splits.program.values.map(({ value, leads }) => `${value}: ${leads}`)
      }
      deepEqual(await counted(), ['Welding: 1'])
      const linked = async (program: string) => {
        const insight = unescaped((await manager.get('/insight?range=year')).text)
        const [, list = ''] = new RegExp(`<a href="(/inbox[^"]*)">${program}</a>`).exec(insight) ?? []
        const found = list && (await manager.get(list)).text
        match(found || `program: ${program}`, new RegExp(`program: ${program}`))
        return /href="\/leads\/1"/.test(found)
      }
      equal(await linked('Welding'), true)
      await store.addLabel(1, { kind: 'program', name: 'Phlebotomy', ...by })
      deepEqual(await counted(), ['Welding: 1'])
      const [, welding] = await store.listLabels('program')
      await store.removeLabel(1, { labelId: welding?.id ?? 0, ...by })
      deepEqual(await counted(), ['Phlebotomy: 1'])
      deepEqual([await linked('Phlebotomy'), await linked('Welding')], [true, false])
      match((await manager.get('/export/leads.csv?mainProgram=Phlebotomy')).text, /ana@mail/)
      doesNotMatch((await manager.get('/export/leads.csv?mainProgram=Welding')).text, /ana@mail/)
      const again = await openForm(app, 'student')
      app.clock.advance(HOUR)
      await again.send(typed('student', { email, program: 'Welding' }))
      await app.settle()
      deepEqual(await counted(), ['Welding: 1'])
      // Interested in both, the lead is found by the one that counts.
      deepEqual([await linked('Phlebotomy'), await linked('Welding')], [false, true])
      doesNotMatch((await manager.get('/inbox?mainProgram=Phlebotomy')).text, /href="\/leads\/1"/)
    })

    test('counts another answer after a step back as new, and the same one once', async t => {
      const app = await startApp(t, { engine, settings })
      const form = await openForm(app, 'student')
      const values = typed('student')
      for (const program of ['', 'Welding', 'Welding', 'Phlebotomy']) await form.send({ ...values, program })
      equal(await countRows(app.database, 'submissions'), 3)
    })

    test('counts a lead for the program that a later message names first, until they choose one', async t => {
      const app = await startApp(t, { engine, settings: { ...withoutFollowUp, ...settings } })
      const { store } = app.app
      const says = async (message: string) => {
        await app.postStudent(aStudent({ email: 'ana@mail.example', message }))
        await app.settle()
      }
      const found = async (program: string) =>
        (await store.listInbox({ program }, { limit: 9 })).rows.map(({ lead }) => lead.id)
      await says('When do classes begin?')
      equal((await store.findLead(1))?.program, null)
      await says('Is there a place in welding?')
      await says('Or in phlebotomy?')
      equal((await store.findLead(1))?.program, 'Welding')
      deepEqual([await found('Welding'), await found('Phlebotomy')], [[1], []])
      const form = await openForm(app, 'student')
      await form.send(typed('student', { program: 'Phlebotomy', email: 'ana@mail.example' }))
      await app.settle()
      equal((await store.findLead(1))?.program, 'Phlebotomy')
      deepEqual([await found('Welding'), await found('Phlebotomy')], [[], [1]])
    })
  })
})

test('a form that requires an answer says so beside the question, with what was typed, until there is one', async t => {
  const fields = { program: 'required' } as const
  const app = await startApp(t, { settings: { ...settings, forms: { student: { fields } } } })
  const form = await openForm(app, 'student')
  match(form.page.text, /<fieldset [^>]*id="program"[^>]* data-empty="Select/)
  const refused = await form.send(typed('student', { program: 'Alchemy' }))
  equal(refused.status, 400)
  match(problemAt(refused.text, 'program') ?? '', /^Select/)
  match(refused.text, /id="firstName"[^>]* value="/)
  equal(await countRows(app.database, 'submissions'), 0)
  equal((await form.send(typed('student', { program: 'Welding' }))).status, 303)
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
