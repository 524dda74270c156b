import { deepEqual, equal, match, notEqual, ok, throws } from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { languageFor, otherLanguage, writingDirection } from '../../src/leads/body/languages.ts'
import { stateNames } from '../../src/leads/body/states.ts'
import { loadReplyTemplates } from '../../src/mail/reply-templates.ts'
import { aFolder, aLetter, aSettings, PROJECT_CONTENT, someMessages, TEMPLATES } from '../mail/fixtures.ts'

const translations = readdirSync(PROJECT_CONTENT).filter(name => /^[a-z]{2}$/.test(name))
const textOf = (name: string) => readFileSync(join(PROJECT_CONTENT, name), 'utf8')
const filesUnder = (folder: string) => readdirSync(join(PROJECT_CONTENT, folder)).map(file => `${folder}/${file}`)

/** What people who write in see. The rest is for the staff, or for developers. */
const FOR_PEOPLE = [
  ...['letters', 'phrases', 'replies'].flatMap(filesUnder),
  ...['unsubscribe', 'unsubscribed', 'not-me', 'not-me-done', 'nothing-stored', 'broken-link'].map(asPage),
  ...['home', 'not-found', 'error'].map(asPage),
]

function asPage(name: string): string {
  return `pages/${name}.md`
}

/** The variables in the tags of a template, without texts and filters, and the targets of its links. */
const variablesIn = (text: string) =>
  found(
    [...text.matchAll(/\{[{%](.*?)[%}]\}/gs)].map(([, tag = '']) => tag.replace(/(["']).*?\1|\|\s*\w+/g, '')),
    /\b(?!else\b)[a-z_]+(?:\.[a-z_]+)*\b/g,
  )
/** Each sentence of a file of words, by its path: `fields.email.label`. */
const wordsOf = (text: string) =>
  new Map(
    (function* each(tree: object, path = ''): Generator<[string, string]> {
      for (const [name, value] of Object.entries(tree)) {
        if (typeof value === 'string') yield [`${path}${name}`, value]
        else yield* each(value, `${path}${name}.`)
      }
    })(JSON.parse(text)),
  )
const linksIn = (text: string) => found([text], /\]\([^)]*\)/g)

const found = (texts: string[], pattern: RegExp): string[] =>
  [...new Set(texts.flatMap(text => text.match(pattern) ?? []))].toSorted()

test('the languages that we have are those of the settings of a new school', () => {
  deepEqual(['en', ...translations], defaultSettings.languages)
})

for (const language of translations) {
  describe(`content in ${language}`, () => {
    test('has every file that people who write in see, and no other', () => {
      const there = readdirSync(join(PROJECT_CONTENT, language), { recursive: true })
        .map(String)
        .filter(name => /\.\w+$/.test(name))
      deepEqual(there.toSorted(), [...FOR_PEOPLE, 'forms.json', 'states.json'].toSorted())
    })

    for (const name of FOR_PEOPLE) {
      test(`${name} uses the same variables and links as the English file, in other words`, () => {
        const [english, other] = [textOf(name), textOf(`${language}/${name}`)]
        deepEqual(variablesIn(other), variablesIn(english))
        deepEqual(linksIn(other), linksIn(english))
        // The frame around the words of the staff has no words of its own.
        if (name !== 'letters/personal.md') notEqual(other, english)
      })
    }

    /** Error and No are the same in Spanish. */
    const SAME = ['form.error', 'form.no']

    test('has every word of the forms, with the same placeholders', () => {
      const [english, other] = [textOf('forms.json'), textOf(`${language}/forms.json`)].map(wordsOf)
      // What employers read may differ from the words for everyone, in any language.
      const forEmployers = [...(other?.keys() ?? [])].filter(key => key.startsWith('employers.'))
      deepEqual(
        [...(other?.keys() ?? [])].filter(key => !forEmployers.includes(key)),
        [...(english?.keys() ?? [])],
      )
      for (const key of forEmployers) {
        const [words, forAll] = [other?.get(key) ?? '', english?.get(key.replace('employers.', '')) ?? '']
        deepEqual(found([words], /\{\w+\}/g), found([forAll], /\{\w+\}/g), key)
      }
      for (const [key, words] of english ?? []) {
        const translated = other?.get(key) ?? ''
        deepEqual(found([translated], /\{\w+\}/g), found([words], /\{\w+\}/g), key)
        ok(translated !== words || SAME.includes(key), `${key} is still "${words}"`)
      }
    })

    test('names states by their codes, and only those that English calls something else', () => {
      const english = stateNames({}, { unitedStates: true, language: 'en', translated: {} })
      const names = Object.entries<string>(JSON.parse(textOf(`${language}/states.json`)))
      notEqual(names.length, 0)
      for (const [code, name] of names) {
        const state = english.find(({ value }) => value === code)
        ok(state !== undefined && state.label !== name, `${code}: ${name}`)
      }
    })

    test('has follow-up emails of 60 to 140 words, and short subjects', async () => {
      const settings = aSettings({ school: { postalAddress: '1 Main Street' }, languages: [language] })
      for (const messages of [someMessages({ settings }), someMessages()]) {
        for (const name of TEMPLATES.filter(template => template.startsWith('letters/'))) {
          const { subject, text } = await messages.letter(name, written(language))
          const words = text.split('\n---\n')[0]?.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
          ok(words >= 60 && words <= 140, `${name}: ${words} words`)
          ok(subject.length <= 60, subject)
        }
      }
    })
  })
}

/** An email to a lead whose form was in a language. */
const written = (language: string | null) => {
  const view = aLetter()
  return { ...view, lead: { ...view.lead, language } }
}

describe('an email to the person', () => {
  const messages = someMessages()

  test('is in the language of their lead, and says so to mail programs', async () => {
    const spanish = await messages.receipt(written('es'))
    equal(spanish.subject, 'Gracias por tu interés en Northside Trade School')
    equal(spanish.language, 'es')
    match(spanish.html, /^<!doctype html>\n<html lang="es" dir="ltr">/)
    match(spanish.html, /href="https:\/\/learn\.school\.example\/mail\/unsubscribe\.12"[^>]*>Dejar/)
    match(spanish.text, /Maria Lopez, Admisiones\n/)
    match((await messages.letter('letters/day-1.md', written('es'))).text, /^Hola, Ana:/)
    match((await messages.accountNotice(written('es'))).subject, /^Ya tienes una cuenta/)
  })

  test('is in the first language of the school if no form has said one, or one that it lacks', async () => {
    for (const language of [null, 'en', 'pl'])
      match((await messages.receipt(written(language))).html, /<html lang="en" dir="ltr">/)
    const settings = aSettings({ languages: ['es', 'en'] })
    const from = someMessages({ settings })
    match((await from.receipt(written(null))).subject, /^Gracias/)
    match((await from.receipt(written('en'))).subject, /^Thank you/)
  })

  test('shows the programs in its language, if the settings have them in it', async () => {
    const programs = [{ name: { en: 'Welding', es: 'Soldadura' }, cost: '$3,900', hours: { en: 'Evenings' } }]
    const from = someMessages({ settings: aSettings({ programs }) })
    match((await from.letter('letters/day-3.md', written('es'))).text, /Soldadura\s+Horario: Evenings/)
    match((await from.letter('letters/day-3.md', written('en'))).text, /Welding\s+Classes: Evenings/)
  })
})

test('a counselor is offered templates in the language of the lead first, then the English ones', () => {
  const programs = [{ name: { en: 'Welding', es: 'Soldadura' } }]
  const settings = aSettings({ programs })
  const { list, fill } = loadReplyTemplates({ contentDirs: [PROJECT_CONTENT], settings, tryOut: true })
  const { lead } = written('es')
  const ids = (language: string | null) => list({ ...lead, language }).map(({ id }) => id)
  deepEqual(ids('es'), ['es/find-a-time', 'es/our-programs', 'find-a-time', 'our-programs'])
  deepEqual(ids(null), ['find-a-time', 'our-programs'])
  match(fill('es/our-programs', lead, 'Maria')?.text ?? '', /^Hola, Ana:\n.*Soldadura/s)
  match(fill('our-programs', lead, 'Maria')?.text ?? '', /^Hello Ana,\n.*Welding/s)
  match(fill('es/find-a-time', lead, 'Maria')?.subject ?? '', /te puedo llamar/)
  const employer = { ...lead, kind: 'site' as const }
  match(fill('es/find-a-time', employer, 'Maria')?.subject ?? '', /le puedo llamar/)
})

describe('a file of the operator', () => {
  const contentWith = (t: TestContext, files: Record<string, string>) => {
    const folder = aFolder(t)
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    return [folder, PROJECT_CONTENT]
  }

  test('in English leaves ours in Spanish as it is; one in Spanish replaces that', async t => {
    const own = (subject: string) => `---\nsubject: ${subject}\n---\nOurs.\n`
    const english = { 'letters/receipt.md': own('Hello') }
    const messages = someMessages({ contentDirs: contentWith(t, english) })
    equal((await messages.receipt(written('en'))).subject, 'Hello')
    match((await messages.receipt(written('es'))).subject, /^Gracias/)
    const both = { ...english, 'es/letters/receipt.md': own('Hola') }
    const others = someMessages({ contentDirs: contentWith(t, both) })
    equal((await others.receipt(written('es'))).subject, 'Hola')
  })

  test('without a translation goes out in English as a whole, its end included', async t => {
    const letter = "---\nsubject: Day 2\n---\nHello again.\n\n{% include 'letters/letter-end.md' %}\n"
    const messages = someMessages({
      contentDirs: contentWith(t, { 'letters/day-2.md': letter }),
      templates: ['letters/day-2.md'],
    })
    const { html, language } = await messages.letter('letters/day-2.md', written('es'))
    equal(language, 'en')
    match(html, /<html lang="en" dir="ltr">/)
    match(html, />Unsubscribe</)
  })

  test('makes a further language of a folder', async t => {
    const polish = { 'pl/letters/receipt.md': '---\nsubject: Witamy\n---\nDziękujemy.\n' }
    const settings = aSettings({ languages: ['en', 'es', 'pl'] })
    const messages = someMessages({ settings, contentDirs: contentWith(t, polish) })
    const { subject, html } = await messages.receipt(written('pl'))
    equal(subject, 'Witamy')
    match(html, /<html lang="pl" dir="ltr">/)
    match((await messages.letter('letters/day-1.md', written('pl'))).html, /<html lang="en"/)
  })

  test('in a further language must show the legal parts, too', async t => {
    const polish = { 'pl/letters/day-1.md': '---\nsubject: Dzień\n---\nDzień dobry.\n' }
    const settings = aSettings({ languages: ['en', 'pl'] })
    throws(() => someMessages({ settings, contentDirs: contentWith(t, polish) }), {
      message: /^pl\/letters\/day-1\.md: by law/,
    })
  })
})

test('a language that the school does not have is its first', () => {
  equal(languageFor('es', ['en', 'es']), 'es')
  equal(languageFor('fr', ['es', 'en']), 'es')
  equal(languageFor(null, ['es', 'en']), 'es')
})

test('the staff reads the name of a language that is not the first of the school', () => {
  equal(otherLanguage('es', ['en', 'es']), 'Spanish')
  equal(otherLanguage('en', ['en', 'es']), null)
  equal(otherLanguage('en', ['es', 'en']), 'English')
  equal(otherLanguage(null, ['en', 'es']), null)
})

test('a language has a direction', () => {
  deepEqual(['es', 'ar', 'he'].map(writingDirection), ['ltr', 'rtl', 'rtl'])
})
