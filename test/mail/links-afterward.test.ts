import { deepEqual, equal } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { createBrand } from '../../src/content/brand.ts'
import { linksAfterward } from '../../src/mail/links-afterward.ts'
import { messageTemplateLoader, type Template } from '../../src/mail/message-templates.ts'
import { aFolder, aSettings, PROJECT_CONTENT } from './fixtures.ts'

const RECEIPT = 'letters/receipt.md'

/** The receipt, or another in its place, and how often it was rendered. */
function aTemplate(t: TestContext, own?: string) {
  const folder = aFolder(t)
  mkdirSync(join(folder, 'letters'))
  if (own !== undefined) writeFileSync(join(folder, RECEIPT), `---\nsubject: x\n---\n${own}\n`)
  const brand = createBrand(aSettings().school, 'https://school.example')
  const template = messageTemplateLoader([folder, PROJECT_CONTENT], brand)(RECEIPT, [])
  const rendered: object[] = []
  const counting: Template = variables => {
    rendered.push(variables)
    return template(variables)
  }
  let time = 0
  const later = (milliseconds: number) => {
    time += milliseconds
  }
  return { template, quick: linksAfterward(counting, () => time), rendered, later }
}

const someVariables = (unsubscribe: string, notMe: string, counselor: string | null) => ({
  school: { name: 'Northside', phone: null, website: null, postal_address: '1 Main Street' },
  counselor,
  programs: [],
  learn_url: 'https://learn.school.example',
  unsubscribe_url: `https://learn.school.example/mail/${unsubscribe}`,
  not_me_url: `https://learn.school.example/mail/${notMe}`,
})

/** Like ours, they begin with a small letter. */
const someToken = fc
  .string({ unit: fc.constantFrom(...'UNabz019-_.'), minLength: 8, maxLength: 30 })
  .map(token => `u${token}`)
const someCounselor = fc.constantFrom(null, 'Maria', 'U & <N>', 'UUUUUUUUUU', '{{ x }} *a*')

const TEMPLATES = {
  'our own receipt': undefined,
  'one with its links in other places': `[{{ not_me_url }}](https://x.example/?u={{ unsubscribe_url | url_encode }})

**[A]({{ unsubscribe_url }})**

{{ unsubscribe_url }} {{ not_me_url }}`,
  'one that changes its links': '{{ unsubscribe_url | upcase }} {{ not_me_url | slice: 0, 40 }}',
}

for (const [name, own] of Object.entries(TEMPLATES)) {
  test(`${name} is the same with its links put in afterward`, t => {
    const { template, quick } = aTemplate(t, own)
    fc.assert(
      fc.property(someToken, someToken, someCounselor, (unsubscribe, notMe, counselor) => {
        const variables = someVariables(unsubscribe, notMe, counselor)
        for (const _ of [1, 2]) deepEqual(quick(variables), template(variables))
      }),
      { numRuns: 40 },
    )
  })
}

test('what differs only in its links is rendered once a minute, and once more to compare', t => {
  const { quick, rendered, later } = aTemplate(t)
  for (let i = 100; i < 200; i++) quick(someVariables(`u${i}.abcdef`, `n${i}.abcdef`, 'Maria'))
  equal(rendered.length, 2)
  later(60_001)
  quick(someVariables('u100.abcdef', 'n100.abcdef', 'Maria'))
  equal(rendered.length, 4)
})

test('a template that changes its links is rendered for each', t => {
  const { template, quick, rendered } = aTemplate(t, TEMPLATES['one that changes its links'])
  for (let i = 100; i < 110; i++) {
    const variables = someVariables(`u${i}.abcdef`, `n${i}.abcdef`, 'Maria')
    deepEqual(quick(variables), template(variables))
  }
  equal(rendered.length, 11)
})
