import { deepEqual, doesNotMatch, equal, match, ok, throws } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { createPages } from '../../../src/http/links/link-pages.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { ask, CAME, CONTENT, choose, post, STAFF_ACTIONS, settings, start } from './linked-pages.ts'

describe('every page', () => {
  test('lets a browser use nothing but its own style, and keeps its URL private', async t => {
    const { student, staff, acts } = await start(t)
    const urls = [student('unsubscribe', 1, CAME), student('not-me', 1, CAME)]
    for (const url of [...urls, ...STAFF_ACTIONS.map(action => staff(action, 'kim'))]) {
      for (const { status, headers, text } of [await ask(url), await post(url, choose('kim'))]) {
        equal(status, 200)
        equal(headers.get('content-type'), 'text/html; charset=utf-8')
        const styles = Array.from(text.matchAll(/<style>(.*?)<\/style>/gs), ([, css = '']) => {
          return `'sha256-${createHash('sha256').update(css).digest('base64')}'`
        })
        equal(
          headers.get('content-security-policy'),
          `default-src 'none'; style-src ${styles.join(' ')}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
        )
        equal(headers.get('referrer-policy'), 'no-referrer')
        equal(headers.get('x-robots-tag'), 'noindex, nofollow')
        equal(headers.get('cache-control'), 'no-store')
        equal(headers.get('x-content-type-options'), 'nosniff')
        equal(headers.get('cross-origin-opener-policy'), 'same-origin')
        equal(headers.get('set-cookie'), null)
        doesNotMatch(text, /<script|style=| on\w+=|src=/)
      }
    }
    equal(acts.length, urls.length + STAFF_ACTIONS.length)
  })

  test('has a language, a title, one main heading, and at most one button with words', async t => {
    const { student, staff } = await start(t)
    for (const url of [student('unsubscribe', 1, CAME), ...STAFF_ACTIONS.map(a => staff(a))]) {
      for (const { text } of [await ask(url), await post(url, choose('kim'))]) {
        match(text, /^<!doctype html>\n<html lang="en" dir="ltr">/)
        match(text, /<title>[^<]+ – Northside Trade School<\/title>/)
        equal(text.match(/<h1>[^<]+<\/h1>/g)?.length, 1)
        equal(text.match(/<main>/g)?.length, 1)
        const buttons = text.match(/<button>[^<]*<\/button>/g)?.join() ?? ''
        match(buttons, /^(<button>[^<]+<\/button>)?$/)
      }
    }
  })

  test('responds to HEAD with the same headers', async t => {
    const { student, staff, acts } = await start(t)
    for (const url of [student('unsubscribe', 1, CAME), staff('contacted'), `${staff('contacted')}x`]) {
      const [get, head] = [await ask(url), await ask(url, { method: 'HEAD' })]
      equal(head.status, get.status)
      equal(head.text, '')
      const without = ({ headers }: typeof get) =>
        [...headers].filter(([name]) => !/^(date|connection|keep-alive)$/.test(name))
      deepEqual(without(head), without(get))
    }
    deepEqual(acts, [])
  })

  test('responds to any other method with the supported ones', async t => {
    const { student, staff } = await start(t)
    for (const url of [student('unsubscribe', 1, CAME), staff('contacted')]) {
      const { status, headers, text } = await ask(url, { method: 'PUT' })
      equal(status, 405)
      equal(headers.get('allow'), 'GET, HEAD, POST, OPTIONS')
      match(text, /^\{"error":/)
    }
  })
})

describe('pages of the operator', () => {
  function contentWith(t: TestContext, name: string, text: string): string[] {
    const folder = temporaryFolder(t)
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    return [folder, CONTENT]
  }

  test('replace ours, file by file', async t => {
    const own = '---\ntitle: So long, {{ school.name }}\n---\nOur own words.\n'
    const contentDirs = contentWith(t, 'pages/unsubscribed.md', own)
    const { student } = await start(t, { contentDirs })
    const { text } = await post(student('unsubscribe', 12, CAME))
    match(text, /<h1>So long, Northside Trade School<\/h1>\s*<p>Our own words\.<\/p>/)
    doesNotMatch(text, /<form/)
    match((await ask(student('unsubscribe', 12, CAME))).text, /<button>Unsubscribe/)
  })

  test('may have a layout of their own, whose style works, too', async t => {
    const layout = '<style>p{color:red}</style><h1>{{ title }}</h1>{{ body | raw }}'
    const contentDirs = contentWith(t, 'layouts/page.html', layout)
    const { student } = await start(t, { contentDirs })
    const { headers } = await ask(student('unsubscribe', 12, CAME))
    const hash = createHash('sha256').update('p{color:red}').digest('base64')
    ok(headers.get('content-security-policy')?.includes(` 'sha256-${hash}'; img-src`))
  })

  const broken = {
    'pages/done.md': ['---\ntitle: x\n---\n{{ lead.mail }}', /lead.*line:4/],
    'pages/not-me.md': ['---\nbutton: x\n---\n', /must name a title in its head/],
    'pages/gone.md': ['---\ntitle: x\nsubject: y\n---\n', /may only have title and button/],
    'layouts/page.html': ['<style>p{color:{{ school.name }}}</style>', /Liquid in its style/],
  } as const
  for (const [name, [text, problem]] of Object.entries(broken)) {
    test(`stop the start if one is broken, and the error names ${name}`, t => {
      throws(
        () =>
          createPages({
            settings,
            baseUrl: 'https://school.example',
            contentDirs: contentWith(t, name, text),
            tryOut: true,
          }),
        (error: Error) => {
          ok(error.message.startsWith(`${name}: `), error.message)
          match(error.message, problem)
          return true
        },
      )
    })
  }

  test('stop the start if the layout includes a file that is missing, even where no sample needs it', t => {
    const layout = "{% if school.website %}{% render 'typo.html' %}{% endif %}{{ body | raw }}"
    const contentDirs = contentWith(t, 'layouts/page.html', layout)
    throws(() => createPages({ settings, baseUrl: 'https://school.example', contentDirs, tryOut: true }), /typo\.html/)
  })
})
