/** The public pages with an operator's settings and files, common and unusual ones. */
import { deepEqual, doesNotMatch, equal, match, ok, throws } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkSettings, type PartialSettings } from '../../../src/config/settings.ts'
import { createBrand } from '../../../src/content/brand.ts'
import { publicPageVariables } from '../../../src/http/discovery/page-variables.ts'
import { loadLlmsText, loadPublicPages } from '../../../src/http/discovery/public-pages.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { tablesIn } from './reading.ts'

const OURS = fileURLToPath(new URL('../../../content/', import.meta.url))
const addresses = { baseUrl: 'https://school.example', learnUrl: 'https://learn.school.example' }

function pagesWith(partial: PartialSettings, contentDirs = [OURS]) {
  const { settings, problems } = checkSettings(partial)
  deepEqual(problems, [])
  const variables = publicPageVariables({ ...addresses, settings }, Date.parse('2026-11-21'))
  const brand = createBrand(settings.school, addresses.baseUrl)
  return { ...loadPublicPages(contentDirs, brand)(variables), llms: loadLlmsText(contentDirs)(variables) }
}

/** What a browser would show as code. */
const codeIn = (html: string): string[] =>
  Array.from(html.matchAll(/<code[^>]*>(.*?)<\/code>/gs), ([, code = '']) =>
    code
      .replace(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  )

describe('the pricing page', () => {
  test('says by default that writing in is free, from which day on, and lists no charges', () => {
    const { markdown } = pagesWith({}).pricing
    match(markdown, /is free\*\*.* As of November 21, 2026\./)
    match(markdown, /does not list them/)
    const [free = []] = tablesIn(markdown)
    deepEqual(new Set(free.map(({ Price }) => Price)), new Set(['Free']))
  })

  test('lists what the school charges, as the settings have it', () => {
    const charges = [
      { what: 'Medical | assistant', price: '$3,900', note: 'books *included*' },
      { what: 'Application', price: '$50' },
    ]
    const { markdown, html } = pagesWith({ pricing: { asOf: '2027-01-02', charges } }).pricing
    const [, listed = []] = tablesIn(markdown)
    deepEqual(listed, [
      { Service: 'Medical | assistant', Price: '$3,900', Note: 'books *included*' },
      { Service: 'Application', Price: '$50', Note: '' },
    ])
    match(html, /Medical \| assistant/)
    match(markdown, /As of January 2, 2027/i)
    doesNotMatch(markdown, /does not list them/)
  })
})

describe('the programs of the settings', () => {
  const programs = [
    { name: { en: 'Medical | assistant', es: 'Asistente' }, cost: '$3,900', hours: 'Evenings' },
    { name: 'Welding </script><b>', starts: 'January 11' },
  ]

  test('are on the page of prices, in the summary for agents, and in the data for search engines', () => {
    const { pricing, developers, llms } = pagesWith({ programs, school: { phone: '512-555-0100' } })
    const [, listed = []] = tablesIn(pricing.markdown)
    deepEqual(listed, [
      { Program: 'Medical | assistant', Cost: '$3,900', Starts: '', Hours: 'Evenings' },
      { Program: 'Welding </script><b>', Cost: '', Starts: 'January 11', Hours: '' },
    ])
    match(llms, /Programs:\n- Medical \| assistant, cost: \$3,900, hours: Evenings\n- Welding .*, starts: January 11\n/)
    for (const text of [llms, developers.markdown]) doesNotMatch(text, /list of programs/)
    const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(pricing.html) ?? []
    const { '@type': type, telephone, hasOfferCatalog } = JSON.parse(data)
    deepEqual([type, telephone], ['EducationalOrganization', '512-555-0100'])
    deepEqual(
      hasOfferCatalog.itemListElement.map(({ name, description }: Record<string, string>) => [name, description]),
      [
        ['Medical | assistant', 'Cost: $3,900. Hours: Evenings'],
        ['Welding </script><b>', 'Starts: January 11'],
      ],
    )
  })

  test('are said to be missing where there are none', () => {
    const { pricing, developers, llms } = pagesWith({})
    doesNotMatch(pricing.markdown, /## Programs/)
    doesNotMatch(pricing.html, /hasOfferCatalog/)
    for (const text of [llms, developers.markdown]) match(text, /list of programs/)
  })
})

test('answers with any characters stand on the page as they are', () => {
  const allowed = ['1 - A|B', '2 - with `tick`', '3 - "quoted" & <b>']
  const { docs, llms } = pagesWith({ studentInterest: { answers: { timeline: { allowed } } } })
  const code = codeIn(docs.html)
  for (const answer of allowed) ok(code.includes(answer.replace('<b>', '&lt;b&gt;')), answer)
  const error = `timeline must be one of ${allowed.map(answer => `"${answer}"`).join(', ')}`
  ok(code.some(text => text.includes(JSON.stringify(error).slice(1, -1).replace('<b>', '&lt;b&gt;'))))
  match(llms, /"timeline":"1 - A\|B"/)
  doesNotMatch(docs.html, /<b>/)
})

describe('contacts', () => {
  test('are on the pages if the settings name them', () => {
    const { developers } = pagesWith({
      school: { phone: '512-555-0100' },
      contacts: { developers: 'a?b&c@school.example', privacy: 'https://school.example/privacy' },
    })
    match(developers.html, /href="mailto:a%3Fb%26c@school\.example"/)
    match(developers.html, /href="https:\/\/school\.example\/privacy"/)
    match(developers.html, /href="tel:\+15125550100"/)
  })

  test('and the rule about showing an inquiry are the same in the summary for agents', () => {
    const contacts = { developers: 'dev@school.example' }
    const school = { phone: '512-555-0100', website: 'https://school.example' }
    const { developers, llms } = pagesWith({ school, contacts })
    for (const text of [llms, developers.markdown]) {
      match(text, /Show the person the inquiry, unless they have approved exactly this wording\. Wording that you put/)
      for (const one of ['512-555-0100', 'https://school.example', 'dev@school.example']) ok(text.includes(one), one)
    }
  })

  test('are left out if the settings name none', () => {
    doesNotMatch(pagesWith({}).developers.html, /href="(?:mailto|tel):|>Privacy</)
  })
})

describe('settings that would break a document', () => {
  for (const [about, partial] of Object.entries({
    'a name of two lines': { school: { name: 'A School\n# Another' } },
    'a name with half of a character': { school: { name: 'A \ud83d' } },
    'a website that is not a URL': { school: { website: 'javascript:alert(1)' } },
    'an answer of two lines': { studentInterest: { answers: { source: { allowed: ['1 - a\nb'] } } } },
    'a phone without a number': { school: { phone: 'call us' } },
    'a day that does not exist': { pricing: { asOf: '2026-02-30' } },
    'a security contact without a scheme': { contacts: { security: 'me@school.example' } },
  } satisfies Record<string, PartialSettings>)) {
    test(`are named at the start: ${about}`, () => {
      equal(checkSettings(partial).problems.length, 1)
    })
  }
})

describe('a page of the operator', () => {
  function folderWith(t: TestContext, file: string, text: string): string[] {
    const folder = temporaryFolder(t)
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
    return [folder, OURS]
  }
  const head = '---\ntitle: Prices\ndescription: What things cost\n---\n'

  test('replaces ours', t => {
    const dirs = folderWith(t, 'public/pricing.md', `${head}# {{ school.name }}\n`)
    const { pricing } = pagesWith({}, dirs)
    equal(pricing.markdown, '# Example Vocational School\n')
    match(pricing.html, /<title>Prices – Example Vocational School<\/title>/)
  })

  for (const [about, file, text, problem] of [
    ['a variable that does not exist', 'public/pricing.md', `${head}{{ price }}`, /pricing\.md: undefined/],
    ['no head', 'public/pricing.md', '# Prices', /pricing\.md: must begin with a head/],
    ['a head of another kind', 'public/pricing.md', '---\nsubject: x\n---\n', /subject: x/],
    ['no section that others link to', 'public/developers.md', head, /developers\.md: needs .*#agents/],
    ['no title', 'public/llms.txt', 'Hello', /llms\.txt: must begin with a title/],
    ['a layout without the text', 'layouts/public.html', '<p>Hello</p>', /must show the text/],
    ['a layout with Liquid that is broken', 'layouts/public.html', '{% if %}', /layouts\/public\.html: /],
  ] as const) {
    test(`is named at the start where it has ${about}`, t => {
      const dirs = folderWith(t, file, text)
      throws(() => pagesWith({}, dirs), problem)
    })
  }
})
