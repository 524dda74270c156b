/** The words of the forms: the school's own come first, and a mistake in them names the file. */
import { equal, rejects, throws } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { contentDirs } from '../../src/content/content-files.ts'
import { readWords } from '../../src/forms/form-words.ts'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openForm } from '../support/forms.ts'

describe("a school's own words", () => {
  test('replace ours one by one, in the language that they are in', async t => {
    const content = temporaryFolder(t)
    mkdirSync(join(content, 'es'))
    writeFileSync(join(content, 'forms.json'), '{"student": {"send": "Write to Northside"}}')
    writeFileSync(join(content, 'es/forms.json'), '{"fields": {"phone": {"label": "Móvil"}}}')
    const [english, spanish] = ['en', 'es'].map(language => readWords(language, contentDirs(content)))
    equal(english?.student.send, 'Write to Northside')
    equal(english?.fields.phone.label, 'Phone')
    equal(spanish?.fields.phone.label, 'Móvil')
    equal(spanish?.student.send, 'Pedir información')
    const app = await startApp(t, { settings: { content } })
    const { page } = await openForm(app, 'student')
    equal(page.text.includes('>Write to Northside</button>'), true)
  })

  test('that no form uses stop the start', async t => {
    const content = temporaryFolder(t)
    for (const [text, problem] of [
      ['{"student": {"sned": "Send"}}', /forms\.json: has student\.sned, which no form uses/],
      ['{"student": "Send"}', /forms\.json: student must be an object/],
      ['{', /forms\.json: /],
    ] as const) {
      writeFileSync(join(content, 'forms.json'), text)
      throws(() => readWords('en', contentDirs(content)), problem)
    }
    await rejects(startApp(t, { settings: { content } }), /forms\.json/)
  })
})
