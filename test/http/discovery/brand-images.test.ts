import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { PartialSettings } from '../../../src/config/settings.ts'
import { checkSettings } from '../../../src/config/settings.ts'
import { tileIcon } from '../../../src/content/icon.ts'
import { createDocuments } from '../../../src/http/discovery/document-routes.ts'
import { createPages } from '../../../src/http/links/link-pages.ts'
import { temporaryFolder } from '../../support/folder.ts'

const contentDirs = [fileURLToPath(new URL('../../../content/', import.meta.url))]
const urls = { baseUrl: 'https://school.example', learnUrl: 'https://learn.school.example' }

/** What the hosts show for a school of this look, whose settings stand in `folder`. */
function aSchool(t: TestContext, brand: NonNullable<PartialSettings['school']>['brand'], file: string | Buffer = '') {
  const folder = temporaryFolder(t)
  for (const name of ['logo.svg', 'logo.png', 'night.png']) writeFileSync(join(folder, name), file || name)
  const given = { school: { name: 'northside Trade School', brand } }
  const { settings, problems } = checkSettings(given, join(folder, 'ours.ts'))
  deepEqual(problems, [])
  const { site } = createDocuments({ config: { ...urls, settings }, contentDirs, clock: Date, tryOut: false })
  const ask = async (path: string) => {
    const request = { headers: {}, method: 'GET' }
    const response = await site[path]?.GET?.(request as never, '')
    return { headers: response?.headers ?? {}, text: String(response?.body) }
  }
  const page = createPages({ settings, ...urls, contentDirs, tryOut: false }).show('unsubscribe', {})
  return { ask, page: { headers: page.headers ?? {}, text: String(page.body) } }
}

describe('the sign of a school', () => {
  test('is its initial on a tile of its color, as icon and on every page', async t => {
    const { ask, page } = aSchool(t, { color: '#7A1F3D' })
    const icon = await ask('/favicon.svg')
    match(icon.text, /fill="#7a1f3d".*fill="#ffffff">N</s)
    equal(icon.headers['Content-Type'], 'image/svg+xml')
    match((await ask('/favicon.ico')).text, /PNG/)
    for (const { text } of [page, await ask('/pricing')]) {
      match(text, /<span class="mark" aria-hidden="true">N<\/span>/)
      match(text, /--fill: #7a1f3d;/)
    }
  })

  test('is its logo, published where the settings name a file, and allowed to be shown', async t => {
    const { ask, page } = aSchool(t, { logo: 'logo.svg', logoDark: 'night.png' })
    equal((await ask('/logo.svg')).text, 'logo.svg')
    const dark = await ask('/logo-dark.png')
    deepEqual([dark.text, dark.headers['Content-Type']], ['night.png', 'image/png'])
    match(String((await ask('/logo.svg')).headers['Content-Security-Policy']), /default-src 'none'.*sandbox/)
    for (const { text, headers } of [page, await ask('/pricing')]) {
      match(text, /src="https:\/\/school\.example\/logo\.svg" alt="northside Trade School"/)
      match(text, /srcset="https:\/\/school\.example\/logo-dark\.png" media="\(prefers-color-scheme: dark\)"/)
      match(String(headers['Content-Security-Policy']), /img-src [^;]*https:\/\/school\.example/)
    }
  })

  test('is the icon of every page where its file is not much wider than high, and can be kept', async t => {
    const square = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path d="M0 0h40v40z"/></svg>'
    const { ask, page } = aSchool(t, { logo: 'logo.svg' }, square)
    const { text, headers } = await ask('/favicon.svg')
    ok(text.includes(`href="data:image/svg+xml;base64,${Buffer.from(square).toString('base64')}"`))
    match(String(headers['Cache-Control']), /max-age=\d+/)
    match(page.text, /<link rel="icon" href="data:image\/svg\+xml,[^"]*base64/)
    match((await ask('/pricing')).text, /<link rel="icon" href="\/favicon\.svg"/)
    const { page: heavy } = aSchool(t, { logo: 'logo.svg' }, square.replace('/>', `/><!--${'x'.repeat(2000)}-->`))
    match(heavy.text, /<link rel="icon" href="https:\/\/school\.example\/favicon\.svg"/)
    const png = tileIcon('#7a1f3d').subarray(22)
    const held = await aSchool(t, { logo: 'logo.png' }, png).ask('/favicon.svg')
    match(held.text, /href="data:image\/png;base64,/)
    for (const wide of [square.replace('0 0 40 40', '0 0 200 40'), 'no picture'])
      match((await aSchool(t, { logo: 'logo.svg' }, wide).ask('/favicon.svg')).text, />N</)
  })

  test('may be a logo at another host, and pages load images from there and nowhere else', async t => {
    const { page } = aSchool(t, { logo: 'https://cdn.example/logo.png' })
    match(page.text, /src="https:\/\/cdn\.example\/logo\.png"/)
    ok(String(page.headers['Content-Security-Policy']).includes('img-src data: https://cdn.example;'))
  })
})

test('a logo must exist, and one for the dark needs another for the light', () => {
  const problemsOf = (brand: object) => checkSettings({ school: { brand } }).problems.join()
  match(problemsOf({ logo: 'nowhere.png' }), /school\.brand\.logo names .*nowhere\.png, which does not exist/)
  match(problemsOf({ logoDark: 'https://a.example/x.png' }), /school\.brand\.logo must be set when/)
  match(problemsOf({ color: 'red' }), /school\.brand\.color must be a color such as #0a6070/)
  match(problemsOf({ logo: 'http://a.example/x.png' }), /school\.brand\.logo must be an https:\/\/ URL/)
})
