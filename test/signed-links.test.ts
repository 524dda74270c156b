import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DAY } from '../src/platform/time.ts'
import { createLinks, type StaffPurpose, type StudentAction } from '../src/signed-links.ts'

const at = (id: string, host = 'school.example') => ({ id, email: `${id}@${host}` })

const options = {
  secretKey: 'k'.repeat(32),
  consoleUrl: 'https://desk.school.example',
  learnUrl: 'https://learn.school.example',
  staff: () => [at('kim.lee'), at('jo')],
}
const links = createLinks(options)
const NOW = Date.UTC(2026, 10, 21, 12)

const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

const staffActions = fc.constantFrom<StaffPurpose>(
  'open',
  'contacted',
  'attempted',
  'no-answer-needed',
  'assign',
  'not-a-lead',
  'release',
  'dismiss',
)
const studentActions = fc.constantFrom<StudentAction>('unsubscribe', 'not-me')
const ids = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const moments = fc.integer({ min: 0, max: NOW })
const actors = fc.constantFrom('kim.lee', 'jo', undefined)

describe('a link for staff', () => {
  test('identifies its action, subject and actor', () => {
    fc.assert(
      fc.property(staffActions, ids, actors, (action, subject, actor) => {
        const url = links.staff(action, subject, actor, NOW)
        ok(url.startsWith('https://desk.school.example/act/'))
        deepEqual(links.readStaff(tokenOf(url), NOW), {
          action,
          subject,
          actor,
          signedAt: NOW,
          left: false,
          expired: false,
        })
      }),
    )
  })

  test('is valid for 30 days', () => {
    const token = tokenOf(links.staff('contacted', 12, 'jo', NOW))
    equal(links.readStaff(token, NOW + 30 * DAY)?.expired, false)
    equal(links.readStaff(token, NOW + 30 * DAY + 1)?.expired, true)
    const another = tokenOf(links.staff('contacted', 12, 'jo', NOW + 1))
    equal(links.readStaff(another, NOW + 1 + 30 * DAY)?.expired, false)
  })

  test('passes its expiry on to links that are created from it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), late => {
        const signed = NOW + late
        const first = tokenOf(links.staff('open', 12, 'jo', signed))
        const link = links.readStaff(first, signed + 20 * DAY)
        ok(typeof link === 'object')
        ok(link.signedAt >= signed && link.signedAt < signed + 1000)
        equal(tokenOf(links.staff('open', 12, 'jo', link.signedAt)), first)
        const next = tokenOf(links.staff('contacted', 12, 'jo', link.signedAt))
        equal(links.readStaff(next, link.signedAt + 30 * DAY + 1)?.expired, true)
      }),
    )
  })

  test('is short, needs no escaping, ends in a letter, and contains no name', () => {
    fc.assert(
      fc.property(staffActions, ids, actors, (action, subject, actor) => {
        const token = tokenOf(links.staff(action, subject, actor, NOW))
        match(token, /^[\w.-]{30,52}$/)
        match(token, /[A-Za-z]$/)
        doesNotMatch(token, /kim.?lee/)
      }),
    )
  })

  test('says that its counselor has left, or that another mailbox has their place, and then has no actor', () => {
    const token = tokenOf(links.staff('contacted', 12, 'kim.lee', NOW))
    const later = createLinks({ ...options, staff: () => [at('jo')] })
    const link = later.readStaff(token, NOW)
    deepEqual([link?.actor, link?.left], [undefined, true])
    const replaced = createLinks({ ...options, staff: () => [at('kim.lee', 'college.example')] }).readStaff(token, NOW)
    deepEqual([replaced?.actor, replaced?.left], [undefined, true])
    const rewritten = createLinks({ ...options, staff: () => [at('kim.lee', 'School.example')] }).readStaff(token, NOW)
    equal(rewritten?.actor, 'kim.lee')
    const team = tokenOf(links.staff('contacted', 12, undefined, NOW))
    equal(later.readStaff(team, NOW)?.left, false)
  })
})

describe('a link for a student', () => {
  test('identifies its action, its lead, and from which moment on it has had its contact data', () => {
    fc.assert(
      fc.property(studentActions, ids, moments, (action, leadId, since) => {
        const url = links.student(action, leadId, since)
        match(url, /^https:\/\/learn\.school\.example\/mail\/[\w.-]{26,45}$/)
        deepEqual(links.readStudent(tokenOf(url)), { action, leadId, since })
      }),
    )
  })

  test('is the same each time, so that a retried message is the same message', () => {
    equal(links.student('not-me', 12, NOW), links.student('not-me', 12, NOW))
    notEqual(links.student('not-me', 12, NOW), links.student('unsubscribe', 12, NOW))
    notEqual(links.student('not-me', 12, NOW), links.student('not-me', 12, NOW + 1))
  })
})

describe('only tokens that were signed here are read', () => {
  const signed = fc.oneof(
    fc.tuple(staffActions, ids, actors).map(([action, id, actor]) => links.staff(action, id, actor, NOW)),
    fc.tuple(studentActions, ids, moments).map(([action, id, since]) => links.student(action, id, since)),
  )

  test('a signed token with a character changed, added or removed is not read', () => {
    const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    const character = fc.oneof(fc.constantFrom('', '.', '-', 'a', 'A', '0'), fc.string())
    fc.assert(
      fc.property(signed, position, character, fc.nat(1), (url, where, added, removed) => {
        const token = tokenOf(url)
        const at = Math.floor(where * token.length)
        const other = token.slice(0, at) + added + token.slice(at + removed)
        fc.pre(other !== token)
        equal(links.readStaff(other, NOW), undefined)
        equal(links.readStudent(other), undefined)
      }),
      { numRuns: 1000 },
    )
  })

  test('a text that we did not sign is not read, whatever its length', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[a-z][0-9a-z]{0,20}(\.[0-9a-z]{1,20}(\.[\w-]{0,10})?)?\.[\w-]{22}$/),
    )
    fc.assert(
      fc.property(text, token => {
        equal(links.readStaff(token, NOW), undefined)
        equal(links.readStudent(token), undefined)
      }),
    )
    for (const token of ['', 'a'.repeat(1_000_000), `c1.1..${'-'.repeat(100_000)}`]) {
      equal(links.readStaff(token, NOW), undefined)
      equal(links.readStudent(token), undefined)
    }
  })

  test('a token of another service, or of the other kind, is not read', () => {
    const others = createLinks({ ...options, secretKey: 'x'.repeat(32) })
    equal(links.readStaff(tokenOf(others.staff('contacted', 12, 'jo', NOW)), NOW), undefined)
    equal(links.readStudent(tokenOf(others.student('not-me', 12, NOW))), undefined)
    equal(links.readStudent(tokenOf(links.staff('contacted', 12, 'jo', NOW))), undefined)
    equal(links.readStaff(tokenOf(links.student('not-me', 12, NOW)), NOW), undefined)
  })

  test('a token composed of the parts of two links is not read', () => {
    const [first, second] = [12, 13].map(id => tokenOf(links.staff('contacted', id, 'jo', NOW)).split('.')) as [
      string[],
      string[],
    ]
    for (const i of [0, 3]) {
      const mixed = first.map((part, at) => (at === i ? second[at] : part)).join('.')
      equal(links.readStaff(mixed, NOW), undefined)
    }
    const [one, other] = [12, 13].map(id => tokenOf(links.student('not-me', id, NOW + id)).split('.')) as [
      string[],
      string[],
    ]
    for (const i of [0, 1, 2]) {
      const mixed = one.map((part, at) => (at === i ? other[at] : part)).join('.')
      equal(links.readStudent(mixed), undefined)
    }
  })
})
