/** What a form adds to a submission, as it is read from the store (src/leads/body/form-details.ts). */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { consentOfInquiry } from '../../src/leads/body/consent.ts'
import { type FormDetails, pageUrl, readFormDetails, shortText } from '../../src/leads/body/form-details.ts'
import { anyText } from './arbitraries.ts'

const whole: FormDetails = {
  page: 'https://school.example/nursing',
  referrer: 'https://search.example/',
  landing: 'https://school.example/',
  campaign: { source: 'newsletter', medium: 'email', campaign: 'fall', id: '7' },
  clicks: { gclid: 'Cj0KCQ', fbclid: 'IwAR' },
  language: 'es',
  placement: 'element',
  startedAt: 1_795_000_000_000,
  consent: {
    text: 'You may call and text me.',
    link: 'https://school.example/privacy?of=texts',
    given: true,
    at: 1_795_000_060_000,
    page: 'https://school.example/nursing',
  },
  program: 'Welding',
  trap: 'https://spam.example',
}

describe('the details of a form', () => {
  test('are read as they were written', () => {
    deepEqual(readFormDetails(JSON.stringify(whole)), whole)
    equal(readFormDetails(null), null)
  })

  test('are safe to show whatever is stored, and reading them never throws', () => {
    const value = fc.oneof(anyText(300), fc.jsonValue({ maxDepth: 2 }), fc.webUrl())
    const stored = fc.oneof(
      anyText(),
      fc.json(),
      fc
        .record(Object.fromEntries([...Object.keys(whole), 'other'].map(name => [name, value])), { requiredKeys: [] })
        .map(form => JSON.stringify(form)),
      fc
        .tuple(
          fc.constantFrom('consent', 'campaign', 'clicks'),
          fc.dictionary(fc.constantFrom('text', 'page', 'link', 'at', 'given', 'source', 'gclid', 'email'), value),
        )
        .map(([name, inner]) => JSON.stringify({ ...whole, [name]: inner })),
    )
    fc.assert(
      fc.property(stored, text => {
        const form = readFormDetails(text)
        if (form === null) return
        deepEqual(readFormDetails(JSON.stringify(form)), form)
        const { campaign, clicks = {}, consent, page, referrer, landing, trap } = form
        ok(consent?.link === undefined || /^https?:/.test(consent.link))
        for (const url of [page, referrer, landing, consent?.page]) {
          ok(url === undefined || pageUrl(url) === url)
        }
        for (const shown of [...Object.values(campaign), ...Object.entries(clicks).flat(), consent?.text, trap]) {
          ok(shown === undefined || (shown.isWellFormed() && !/[\p{C}\p{Zl}\p{Zp}]/u.test(shown)))
          ok(shown === undefined || shown.length <= 2000)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('have pages without what a URL may say about a person', () => {
    equal(pageUrl('https://ana:secret@school.example/a?email=ana@x.example#b'), 'https://school.example/a')
    equal(pageUrl('javascript:alert(1)'), undefined)
    equal(pageUrl(`https://school.example/${'a'.repeat(500)}`), undefined)
  })

  test('have texts of one line, without half of a character', () => {
    equal(shortText(' one\n\u202etwo '), 'one two')
    equal(shortText(`${'a'.repeat(99)}😀`), `${'a'.repeat(99)}\ufffd`)
    equal(shortText(' \u200b '), undefined)
  })
})

describe('the record of a consent', () => {
  test('records of a page around the form only what that page says about itself', () => {
    const recordOf = (placement: FormDetails['placement']) =>
      consentOfInquiry({ form: { ...whole, placement }, body: { phone: '1' } } as never, () => 'today')
    match(String(recordOf('hosted')), /, at https:\/\/school\.example\/nursing: /)
    for (const placement of ['element', 'iframe'] as const)
      match(String(recordOf(placement)), /, at a page that calls itself https:\/\/school\.example\/nursing: /)
  })
})
