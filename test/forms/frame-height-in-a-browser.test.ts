/** The iframe that the console gives for a form that a manager made: it fits the form where no script runs. */
import { ok } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { codeBelow } from '../support/forms.ts'
import { openWindow, PHONE, press } from './filled-in.ts'
import { startForms, startSite } from './site.ts'

const browser = await startBrowser({ after })
const service = await startForms(
  { after } as TestContext,
  {
    programs: [{ name: 'Phlebotomy' }, { name: { en: 'Medical assisting', es: 'Asistencia médica y administrativa' } }],
    studentInterest: { answers: { timeline: { allowed: ['1 - Now', '2 - This year', '3 - Later'] } } },
  },
  { edits: true },
)
const site = await startSite({ after } as TestContext)
const manager = await service.client('manager')

const longForm = {
  kind: 'student',
  name: 'long',
  'title-en': 'Phlebotomy and medical assisting in Austin and in Dallas North',
  'introduction-en':
    'Evening classes, eight weeks.\r\n\r\nWe help you with financial aid, and with the papers of the state.',
  order: 'state city program timeline experience message',
  'ask-state': 'required',
  'ask-city': 'required',
  'ask-program': 'required',
  'ask-timeline': 'required',
  'ask-message': 'required',
  'own-count': '4',
  'own-0-id': 'q1',
  'own-0-label-en': 'On which of our campuses would you like to study, if there is a place for you?',
  'own-0-type': 'campus',
  'own-0-answer': 'required',
  'own-0-choices-en': 'Austin\r\nDallas North',
  'own-1-id': 'q2',
  'own-1-label-en': 'Do you have a GED?',
  'own-1-type': 'yesno',
  'own-1-answer': 'required',
  'own-2-id': 'q3',
  'own-2-label-en': 'When were you born?',
  'own-2-type': 'date',
  'own-3-id': 'q4',
  'own-3-label-en': 'What do you like?',
  'own-3-type': 'choices',
  'own-3-choices-en': ['Blood', 'Needles', 'People', 'Night shifts', 'Machines', 'Paper', 'Numbers'].join('\r\n'),
}

const forms = [
  longForm,
  { ...longForm, name: 'two-steps', steps: 'on' },
  { kind: 'student', name: 'short', 'title-en': 'Hi', order: 'city message', 'ask-city': 'optional' },
  { kind: 'site', name: 'clinic', 'title-en': 'Take in a student', order: 'message', 'ask-message': 'required' },
]

for (const form of forms) {
  test(`fits the form "${form.name}" without a script, empty and with everything wrong, in each language`, async t => {
    const made = await manager.post('/forms/new', form)
    const code = codeBelow(made.text, 'The form in an iframe')
    const room = Number(/ height="(\d+)"/.exec(code)?.[1])
    for (const [language, options, spare] of [
      ['en', PHONE, 480],
      ['es', { ...PHONE, viewport: { width: 320, height: 700 } }, 320],
      ['es', { viewport: { width: 1280, height: 900 } }, 900],
    ] as const) {
      const { page } = await openWindow(t, browser, { ...options, javaScriptEnabled: false })
      const name = `/${form.name}-${language}-${options.viewport?.width}`
      await page.goto(site.publish(name, code.replace('embed=iframe', `embed=iframe&lang=${language}`)))
      const frame = page.frameLocator('iframe')
      // Where a script fits the frame, the form does not take more room than it needs.
      const heightNow = () =>
        frame.locator('body').evaluate(body => {
          body.classList.add('fitted')
          const { height } = body.parentElement?.getBoundingClientRect() ?? { height: Number.NaN }
          body.classList.remove('fitted')
          return height
        })
      const empty = await heightNow()
      const below = await frame
        .locator('[part=button]')
        .evaluate(one => one.ownerDocument.documentElement.clientHeight - one.getBoundingClientRect().bottom)
      ok(below < Math.max(room - empty, 40), `${name}: ${below} pixels below the button, of ${room - empty}`)
      await press(frame)
      await frame.locator('.problems').waitFor()
      const wrong = await heightNow()
      ok(empty <= room && wrong <= room, `${name}: ${empty} and ${wrong} pixels of ${room}`)
      ok(wrong > room - spare || form.name === 'two-steps', `${name}: only ${wrong} pixels of ${room}`)
    }
  })
}
