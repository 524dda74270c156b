/** What /forms says about the looks of an element: every part and every property, and no other. */
import { deepEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { openForm } from '../support/forms.ts'

const read = (name: string): string => readFileSync(new URL(`../../content/${name}`, import.meta.url), 'utf8')

const [, looks = ''] = read('public/forms.md').split(/^## .*\{#(?:looks|events)\}$/m)

const found = (text: string, pattern: RegExp): string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name))].toSorted()

test('every part of a form is named on /forms', async t => {
  const form = await openForm(await startApp(t), 'student')
  const rejected = await form.send({ firstName: '' })
  const [list = ''] = /^For everything else, there are parts: .*$/m.exec(looks) ?? []
  deepEqual(found(list, /`(\w+)`/g), found(form.page.text + rejected.text, / part="(\w+)"/g))
})

test('every property that colors or shapes a form is named on /forms', () => {
  const properties = found(read('forms/form.css'), /var\((--\w+)/g)
  deepEqual(found(looks, /`(--\w+)`/g), properties)
})
