import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { renderPage } from '../../src/content/page-markdown.ts'

const htmlOf = (source: string): string => renderPage(source).html.trim()
const idsOf = (source: string): string[] =>
  Array.from(renderPage(source).html.matchAll(/<h\d id="([^"]+)"/g), ([, id = '']) => id)

/** The rows of the only table, each as its cells with their attributes. */
const rowsOf = (source: string): string[][] =>
  htmlOf(source)
    .split('<tr role="row">')
    .slice(1)
    .map(row => Array.from(row.matchAll(/<(t[hd] .*)<\/t[hd]>/g), ([, cell = '']) => cell))

describe('headings', () => {
  test('get the ids that GitHub gives them', () => {
    deepEqual(idsOf('## Retries & idempotency\n\n### `startedAt`, once *more*\n\n## Größe_1'), [
      'retries--idempotency',
      'startedat-once-more',
      'größe_1',
    ])
  })

  test('get a number if another heading has the same words, and a name if they have none', () => {
    deepEqual(idsOf('## Fields\n\n## Fields\n\n## Fields-1\n\n## !'), ['fields', 'fields-1', 'fields-1-1', 'section'])
  })

  test('get the ids that they ask for, before any other takes them', () => {
    const { html, contents } = renderPage('## Agents\n\n## Policy for agents {#agents}')
    deepEqual(contents, [
      { id: 'agents-1', text: 'Agents', level: 2 },
      { id: 'agents', text: 'Policy for agents', level: 2 },
    ])
    doesNotMatch(html, /\{/)
    deepEqual(idsOf('## One {#same}\n\n## Two {#same}'), ['same', 'same-1'])
    deepEqual(idsOf('## First_request {#first_request}'), ['first_request'])
  })

  test('keep braces that do not ask for an id', () => {
    deepEqual(renderPage('## The answer `{#x}`').contents, [{ id: 'the-answer-x', text: 'The answer {#x}', level: 2 }])
  })

  test('are links to themselves, except the title and headings that hold a link', () => {
    equal(htmlOf('# Title'), '<h1 id="title">Title</h1>')
    equal(htmlOf('## The *big* one'), '<h2 id="the-big-one"><a href="#the-big-one">The <em>big</em> one</a></h2>')
    equal(htmlOf('## See [this](/x)'), '<h2 id="see-this">See <a href="/x">this</a></h2>')
  })

  test('of the second and the third level are the contents, as plain text', () => {
    const source = '# Title\n\n## A & `b`\n\n### C\\_d\n\n#### Too deep'
    deepEqual(renderPage(source).contents, [
      { id: 'a--b', text: 'A & b', level: 2 },
      { id: 'c_d', text: 'C_d', level: 3 },
    ])
  })
})

describe('code', () => {
  const fence = (info: string, code = 'x') => htmlOf(`\`\`\`${info}\n${code}\n\`\`\``)

  test('can be scrolled by keyboard, and is labeled with its title', () => {
    equal(
      fence('text title="A &lt;first> request"'),
      '<figure class="code">\n<figcaption>A &lt;first&gt; request</figcaption>\n' +
        '<pre tabindex="0" role="group" aria-label="A &lt;first&gt; request"><code>x</code></pre>\n</figure>',
    )
  })

  test('without a title is labeled with its language', () => {
    match(fence('sh'), /<figcaption>Shell<.* aria-label="Shell"/s)
    match(fence('cobol'), /<figcaption>cobol</)
    match(fence(''), /<figcaption>Code</)
    match(htmlOf('    indented'), /<figcaption>Code<.*<code>indented</s)
  })

  test('is copied without its last line end, at which a terminal would run it', () => {
    match(fence('sh', 'ls\n'), /<code>ls<\/code>/)
  })

  test('inside a sentence stays on one line if it is short', () => {
    match(htmlOf('`?validateOnly=true`'), /<code class="short">\?validateOnly=true</)
    match(htmlOf('`https://school.example/a-long-url`'), /<code>https/)
  })

  test('shows any characters as they are', () => {
    match(
      fence('js', `it's "quoted" & <b>`),
      /<code>it's <span class="s">&quot;quoted&quot;<\/span> &amp; &lt;b&gt;<\/code>/,
    )
  })
})

test('a dot between links never begins a line', () => {
  match(htmlOf('[a](/a) · [b](/b)'), /<\/a>\u00a0· <a/)
})

describe('tables', () => {
  test('have the head of each column and of each row marked, and cells that say their column', () => {
    deepEqual(rowsOf('| Field | What it *is* |\n|---|---|\n| `email` | an address |'), [
      ['th scope="col" role="columnheader">Field', 'th scope="col" role="columnheader">What it <em>is</em>'],
      [
        'th scope="row" role="rowheader"><code class="short">email</code>',
        'td data-label="What it is" role="cell">an address',
      ],
    ])
  })

  test('without heads of columns have heads of rows only', () => {
    const source = '| | |\n|---|---|\n| Price | free |'
    deepEqual(rowsOf(source), [['th scope="row" role="rowheader">Price', 'td role="cell">free']])
    doesNotMatch(htmlOf(source), /thead/)
  })

  test('have no heads that are empty', () => {
    deepEqual(rowsOf('| | Site |\n|---|---|\n| | yes |'), [
      ['td role="cell">', 'th scope="col" role="columnheader">Site'],
      ['td role="cell">', 'td data-label="Site" role="cell">yes'],
    ])
  })

  test('are aligned by class, since the security policy of the pages forbids styles', () => {
    const html = htmlOf('| a | b | c |\n|:-:|--:|---|\n| 1 | 2 | 3 |')
    match(html, /class="center">a<.*class="right">b<.*class="center">1<.*class="right">2</s)
    doesNotMatch(html, /style/)
  })

  test('can be scrolled by keyboard, and are labeled by the heading above them', () => {
    const table = '| a |\n|---|\n| 1 |\n'
    match(htmlOf(table), /^<div class="table" role="group" aria-label="Table" tabindex="0">\n<table role="table">/)
    match(htmlOf(`## One\n\n## Two\n\n${table}`), /<div [^>]*aria-labelledby="two"/)
    match(htmlOf(table), /<\/table>\n<\/div>$/)
  })
})

test('links that show their own URL are marked', () => {
  const links = '<https://a.example/> [a.example/b](https://a.example/b) [c](https://a.example/c)'
  equal(
    htmlOf(links),
    '<p><a href="https://a.example/" class="bare">https://a.example/</a> ' +
      '<a href="https://a.example/b" class="bare">a.example/b</a> <a href="https://a.example/c">c</a></p>',
  )
})

test('HTML is shown as text', () => {
  equal(htmlOf('<b>x</b>'), '<p>&lt;b&gt;x&lt;/b&gt;</p>')
})
