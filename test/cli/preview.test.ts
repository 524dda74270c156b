import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { startPreview } from '../../src/cli/preview/preview.ts'
import { openStore } from '../../src/store/open-store.ts'
import { temporaryFolder } from '../support/folder.ts'

const DAY_1 =
  '---\nsubject: Our own subject\n---\nHello {{ greeting }}, {{ unsubscribe_url }}, {{ school.postal_address }}'

/** The preview of a school with a settings file and content of its own. */
async function aPreview(t: TestContext) {
  const folder = temporaryFolder(t)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'words/letters'), { recursive: true })
  write('words/letters/day-1.md', DAY_1)
  const school = (name: string) =>
    write(
      'ours.ts',
      `export default { content: 'words', school: { name: '${name}', postalAddress: '1 Main Street', brand: { color: '#7a1f3d' } } }`,
    )
  school('Northside')
  const env = { FRONTDESK_CONFIG: join(folder, 'ours.ts'), DATA_DIR: join(folder, 'data') }
  const preview = await startPreview(env, 0)
  t.after(() => preview.close())
  const ask = async (path: string) => (await fetch(preview.url + path)).text()
  return { folder, write, school, ask, url: preview.url }
}

describe('the preview', () => {
  test("shows every message and page in the school's words and colors, in light and dark", async t => {
    const { ask } = await aPreview(t)
    const page = await ask('/?file=letters/day-1.md')
    match(page, /<h1>Our own subject<\/h1>/)
    match(page, /--accent: light-dark\(#7a1f3d, /, 'the page around it, too')
    match(page, /<pre tabindex="0">Hello Ana,\s/)
    const files = Array.from(page.matchAll(/\?file=([^&"]*)&/g), ([, file = '']) => decodeURIComponent(file))
    const found = new Set(files)
    for (const file of [
      'notifications/take-over.md',
      'letters/receipt.md',
      'es/letters/receipt.md',
      'pages/open.md',
      'es/pages/unsubscribe.md',
      'public/pricing.md',
    ])
      ok(found.has(file), file)
    for (const file of found) {
      const frame = await ask(`/frame?file=${file}&sample=0&mode=dark`)
      match(frame, /<\/html>/, file)
      ok(!frame.includes('prefers-color-scheme: dark'), file)
    }
    match(await ask('/frame?file=letters/day-1.md&sample=0'), /#7a1f3d/)
  })

  test('says below a page that a link works only where it does', async t => {
    const { ask } = await aPreview(t)
    match(await ask('/frame?file=pages/open.md&sample=0'), /This link works until/)
    for (const page of ['expired', 'left', 'gone', 'broken'])
      doesNotMatch(await ask(`/frame?file=pages/${page}.md&sample=0`), /This link works until/)
  })

  test('follows each change of the settings and the content', async t => {
    const { ask, write, school } = await aPreview(t)
    await ask('/')
    const first = await ask('/version')
    equal(await ask('/version'), first)
    write('words/letters/day-1.md', DAY_1.replace('Our own subject', 'A better subject'))
    const second = await ask('/version')
    notEqual(second, first)
    match(await ask('/?file=letters/day-1.md'), /<h1>A better subject<\/h1>/)
    school('Southside Trade School')
    notEqual(await ask('/version'), second)
    match(await ask('/?file=letters/day-1.md'), /<title>A better subject – Southside Trade School</)
  })

  test('names the file, the line and the column of a mistake, and goes on once it is mended', async t => {
    const { ask, write, school } = await aPreview(t)
    write('words/letters/day-1.md', `${DAY_1}\n\n{{ nobody }}`)
    match(await ask('/'), /letters\/day-1\.md, line 6, column 4: undefined variable: nobody/)
    write('words/letters/day-1.md', DAY_1)
    match(await ask('/'), /<nav/)
    write('ours.ts', "export default {\n  school: {\n    name: 'x'\n    phone: '1',\n  },\n}\n")
    match(await ask('/'), /ours\.ts cannot be read: line 4, column 5: /)
    write('ours.ts', 'export default {\n  school: { name: nobody },\n}\n')
    match(await ask('/'), /ours\.ts cannot be read: line 2, column 19: /)
    school('Northside')
    match(await ask('/'), /<nav/)
  })

  test('shows what is edited in the console, and says so', async t => {
    const { ask, write, folder } = await aPreview(t)
    const added = { name: 'day-5', after: '5 days', clock: 'student', to: 'student' } as const
    const step = { ...added, message: 'letters/day-5.md' }
    write('words/letters/day-5.md', DAY_1.replace('Our own subject', 'Still interested?'))
    doesNotMatch(await ask('/'), /day-5|in the console/)
    mkdirSync(join(folder, 'data'))
    const store = await openStore({ engine: 'sqlite', file: join(folder, 'data/frontdesk.db') })
    t.after(() => store.close())
    const edit = async (value: object | null, replaces: number) =>
      store.saveEditedSettings({
        part: 'cadence',
        value,
        replaces,
        note: '',
        by: 'Dana Kim',
        now: Date.parse('2026-11-22T15:00:00Z'),
      })
    const before = await ask('/version')
    const saved = await edit({ student: [step], site: [] }, 0)
    // The database is there now: the next change of a file, or a restart, shows it.
    write('words/letters/day-5.md', DAY_1.replace('Our own subject', 'Are you still interested?'))
    const page = await ask('/?file=letters/day-5.md')
    match(page, /<h1>Are you still interested\?<\/h1>/)
    match(page, /The cadence is edited in the console \(last on November 22, 2026 by Dana Kim\)\./)
    const edited = await ask('/version')
    notEqual(edited, before)
    ok(typeof saved === 'object')
    await edit(null, saved.id)
    notEqual(await ask('/version'), edited)
    doesNotMatch(await ask('/'), /day-5|in the console/)
  })

  test('shows the settings file, and says why, where the database cannot be read', async t => {
    const { ask, folder } = await aPreview(t)
    mkdirSync(join(folder, 'data'))
    writeFileSync(join(folder, 'data/frontdesk.db'), 'not a database'.repeat(100))
    match(await ask('/'), /What is edited in the console cannot be read, so this is what the settings file says: /)
  })

  test('writes nothing', async t => {
    const { ask, folder } = await aPreview(t)
    await ask('/')
    deepEqual(readdirSync(folder).toSorted(), ['ours.ts', 'words'])
  })
})
