/** `/llms.txt` in the strict format, as its reference parsers read it. */
import { deepEqual, equal, match, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { startPublicApp } from '../../support/public-app.ts'

type Link = { title: string; url: string; note: string }
type Summary = { title: string; quote: string; text: string[]; sections: Map<string, Link[]> }

/** Throws where a reference parser would stop, or lose something. */
function parse(source: string): Summary {
  ok(source.endsWith('\n') && !source.includes('\r'))
  const [head = '', ...parts] = source.split(/^## /m)
  const [title = '', quote = '', ...text] = head.trim().split('\n\n')
  match(title, /^# [^\n]+$/)
  match(quote, /^> [^\n]+$/, 'the quote is one line')
  ok(text.length > 0, 'without a paragraph after it, the quote is lost')
  // A paragraph, or a list.
  for (const line of text.flatMap(part => part.split('\n'))) match(line, /^[^#>\n][^\n]*$/)
  const sections = parts.map(part => {
    const [name = '', ...lines] = part.trim().split('\n')
    const links = lines.filter(line => line !== '').map(linkIn)
    ok(links.length > 0)
    return [name, links] as const
  })
  return { title, quote, text, sections: new Map(sections) }
}

function linkIn(line: string): Link {
  const [, title = '', url = '', note = ''] = /^- \[([^\]\n]+)\]\((https?:\/\/[^()\s]+)\): (.+)$/.exec(line) ?? []
  ok(title !== '', `"${line}" is no link`)
  return { title, url, note }
}

test('the summary for language models', async t => {
  const app = await startPublicApp(t)
  const source = await (await fetch(`${app.base}/llms.txt`)).text()
  const { title, sections } = parse(source)

  await t.test('is named after the school', () => {
    equal(title, '# Example Vocational School')
  })

  await t.test('links to every page in Markdown, and to every description', async () => {
    const links = [...sections.values()].flat()
    const paths = links.map(({ url }) => url.replace(app.base, ''))
    deepEqual(paths, [
      '/developers.md',
      '/docs/api.md',
      '/forms.md',
      '/pricing.md',
      '/openapi/site-interest.json',
      '/.well-known/api-catalog',
      '/.well-known/agent-card.json',
      '/sitemap.xml',
    ])
    for (const { url } of links) equal((await fetch(url)).status, 200, url)
  })

  await t.test('ends with what readers can do without', () => {
    equal([...sections.keys()].at(-1), 'Optional')
  })
})

test('the reading of the format refuses what reference parsers cannot take', () => {
  const good = '# A\n\n> b\n\nc\n\n## D\n\n- [e](https://f.example): g\n'
  equal(parse(good).sections.size, 1)
  for (const [from, to] of [
    ['# A', 'A'],
    ['> b', '> b\n> b'],
    ['\n\nc', ''],
    ['- [', '* ['],
    ['- [', 'Prose.\n- ['],
    ['[e]', '[e]]'],
    ['f.example', 'f.example/(x)'],
    ['## D', '### D'],
    ['\n## D', '\r\n## D'],
  ] as const) {
    throws(() => parse(good.replace(from, to)), `${from} as ${to}`)
  }
})
