import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { checkSettings, defaultSettings } from '../../src/config/settings.ts'
import type { SiteInterest } from '../../src/leads/body/body-schemas.ts'
import { isSuspicious, signalNames as signals, signalsOf, textDigest } from '../../src/leads/body/screening.ts'
import { DAY, MINUTE, SECOND } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { anyText, now } from './arbitraries.ts'

const signalsFor = (over: Record<string, unknown>, addressesWithText = 1) =>
  signalsOf(
    { id: 1, kind: 'site', answer: 200, receivedAt: now, body: aSite(over) as SiteInterest, form: null },
    addressesWithText,
  )

/** Screening settings as an operator might write them, valid or not. */
const written = fc.record(
  {
    threshold: fc.oneof(fc.integer({ min: -1, max: 30 }), fc.constantFrom(1.5, '3', null)),
    weights: fc.dictionary(
      fc.constantFrom(...signals),
      fc.oneof(fc.integer({ min: -1, max: 12 }), fc.constantFrom(0.5, '1', null)),
    ),
  },
  { requiredKeys: [] },
)

describe('screening', () => {
  test('never quarantines for one signal alone, with any valid settings', () => {
    fc.assert(
      fc.property(written, screening => {
        const { settings, problems } = checkSettings({ screening })
        if (problems.length > 0) return
        equal(isSuspicious([], settings.screening), false)
        for (const signal of signals) equal(isSuspicious([signal], settings.screening), false)
      }),
      { numRuns: 2000 },
    )
  })

  test('quarantines whatever fewer signals quarantine', () => {
    const some = fc.subarray(signals)
    fc.assert(
      fc.property(written, some, some, (screening, fewer, others) => {
        const { settings, problems } = checkSettings({ screening })
        const more = [...new Set([...fewer, ...others])]
        if (problems.length > 0 || !isSuspicious(fewer, settings.screening)) return
        ok(isSuspicious(more, settings.screening))
      }),
      { numRuns: 1000 },
    )
  })

  test('quarantines a hasty sender with links by default', () => {
    equal(isSuspicious(['tooFast', 'links'], defaultSettings.screening), true)
    equal(isSuspicious(['tooFast', 'tooOld'], defaultSettings.screening), false)
  })
})

describe('the signals', () => {
  test('are none for an ordinary submission', () => deepEqual(signalsFor({}), []))

  test('say at most one thing about time', () => {
    fc.assert(
      fc.property(fc.integer({ min: now - 3 * DAY, max: now + DAY }), startedAt => {
        ok(signalsFor({ startedAt }).length <= 1)
      }),
      { numRuns: 1000 },
    )
  })

  for (const [what, startedAt, expected] of [
    ['this moment', now, ['tooFast']],
    ['just under 3 seconds ago', now - 3 * SECOND + 1, ['tooFast']],
    ['3 seconds ago', now - 3 * SECOND, []],
    ['24 hours ago', now - DAY, []],
    ['a little over 24 hours ago', now - DAY - 1, ['tooOld']],
    ['5 minutes ahead', now + 5 * MINUTE, ['tooFast']],
    ['a little over 5 minutes ahead', now + 5 * MINUTE + 1, ['ahead']],
  ] as const) {
    test(`of a form started ${what} are ${expected.join() || 'none'}`, () =>
      deepEqual(signalsFor({ startedAt }), expected))
  }

  for (const [message, expected] of [
    ['See http://a.example and https://b.example', []],
    ['http://a.example https://b.example www.c.example', ['links']],
    ['HTTP://A.EXAMPLE HTTPS://B.EXAMPLE [URL=c.example]c[/URL]', ['links']],
    ['', []],
  ] as const) {
    test(`of the message "${message}" are ${expected.join() || 'none'}`, () =>
      deepEqual(signalsFor({ message }), expected))
  }

  test('know disposable mail services by their domain, in any script', () => {
    deepEqual(signalsFor({ email: 'ana@mailinator.com' }), ['disposable'])
    deepEqual(signalsFor({ email: 'ana@mercy.example' }), [])
  })

  test('know a typo of a common domain, which someone registered, as a typo', () => {
    for (const domain of ['gmial.com', 'hotmai.com', 'hotmial.com'])
      deepEqual(signalsFor({ email: `ana@${domain}` }), [])
  })

  test('count the addresses that sent the same text', () => {
    deepEqual(signalsFor({}, 2), [])
    deepEqual(signalsFor({}, 3), ['sharedText'])
  })
})

describe('the digest of a message', () => {
  test('ignores case and white space', () => {
    const digest = textDigest('We offer you the best services.')
    ok(digest !== undefined)
    equal(textDigest('WE OFFER you\n\tthe  best\u00a0services.'), digest)
    equal(textDigest('Ｗe offer you the best services.'), digest)
  })

  test('differs for a different text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{20,40}$/), fc.stringMatching(/^[a-z]{20,40}$/), (a, b) =>
        equal(textDigest(a) === textDigest(b), a === b),
      ),
    )
  })

  test('does not exist for a text too short to tell, and never fails', () => {
    equal(textDigest(undefined), undefined)
    equal(textDigest('Please call me.'), undefined)
    fc.assert(fc.property(anyText(), text => [undefined, 22].includes(textDigest(text)?.length)))
  })
})
