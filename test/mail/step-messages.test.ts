import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createStepMessages } from '../../src/mail/step-messages.ts'
import { temporaryFolder } from '../support/folder.ts'
import { aSettings, PROJECT_CONTENT, someMessages, TEMPLATES } from './fixtures.ts'

const school = { name: 'Northside Trade School', postalAddress: '100 Main Street, Springfield' }
const LEGAL = "{% include 'letters/letter-end.md' %}"

/** The messages of a school with these files of its own. */
function withFiles(t: TestContext, files: Record<string, string>) {
  const own = temporaryFolder(t)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(own, file, '..'), { recursive: true })
    writeFileSync(join(own, file), text)
  }
  const settings = aSettings({ school, content: own })
  const contentDirs = [own, PROJECT_CONTENT]
  return createStepMessages(someMessages({ settings, contentDirs, tryOut: false }), settings)
}
const letter = (subject: string, body: string) => `---\nsubject: ${subject}\n---\n${body}\n`

test('a step can send what Frontdesk comes with, and files of the school that replace none of ours', t => {
  const steps = withFiles(t, {
    'letters/open-day.md': letter('Visit us on Saturday', LEGAL),
    'letters/receipt.md': letter('Thank you', LEGAL),
    'notifications/lead-facts.md': 'A part of other messages.\n',
    'notifications/last-call.md': letter('Call {{ person.name }} today', 'Please call.'),
    'pages/other.md': 'A page.\n',
  })
  const found = steps.list('student')
  deepEqual(
    found.map(({ file }) => file).sort(),
    [...TEMPLATES, 'letters/open-day.md', 'notifications/last-call.md'].sort(),
  )
  const subjects = new Map(found.map(one => [one.file, 'subject' in one ? one.subject : '']))
  equal(subjects.get('letters/open-day.md'), 'Visit us on Saturday')
  equal(subjects.get('notifications/last-call.md'), 'Call Ana Ruiz today')
})

test('an example is in the language that is asked for, and goes to an invented person', t => {
  const steps = withFiles(t, {})
  const english = steps.sample('letters/day-1.md', { kind: 'student' })
  const spanish = steps.sample('letters/day-1.md', { kind: 'student', language: 'es' })
  const reminder = steps.sample('notifications/site-reminder.md', { kind: 'site' })
  ok('html' in english && 'html' in spanish && 'html' in reminder)
  match(english.html, /lang="en"/)
  match(spanish.html, /lang="es"/)
  equal(english.to.address, 'ana@mercy.example')
  match(english.text, /100 Main Street, Springfield/)
  match(reminder.text, /Mercy Hospital/)
})

test('a file that is missing or broken, or an email without its legal parts, says so', t => {
  const steps = withFiles(t, {
    'letters/no-end.md': letter('Hello', 'Hello.'),
    'letters/broken.md': letter('Hello', '{{ nonsense'),
    'notifications/part.md': 'No subject.\n',
  })
  const problemOf = (file: string) => {
    const found = steps.sample(file, { kind: 'student' })
    return 'problem' in found ? found.problem : ''
  }
  match(problemOf('letters/no-end.md'), /no-end\.md: by law, .* the link to unsubscribe/)
  match(problemOf('letters/broken.md'), /letters\/broken\.md/)
  match(problemOf('letters/gone.md'), /letters\/gone\.md: is missing/)
  match(problemOf('notifications/part.md'), /notifications\/part\.md/)
  equal(problemOf('letters/day-1.md'), '')
})
