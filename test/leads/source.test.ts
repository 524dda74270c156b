/** What the posts of sources say: Google's lead forms, and any JSON or form by a mapping. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/settings.ts'
import { postContext } from '../../src/http/source-posts.ts'
import { readGoogleLead } from '../../src/leads/source/google-lead.ts'
import { inquiryOfPost, type PostedInquiry } from '../../src/leads/source/inquiry-of-post.ts'
import type { LeadSource, Mapping } from '../../src/leads/source/lead-source.ts'
import { guessMapping, placeProblem, valuesIn } from '../../src/leads/source/mapping.ts'
import { aGoogleLead } from '../support/google-lead.ts'

const NOW = Date.parse('2026-11-26T15:00:00Z')
const context = { ...postContext({ ...defaultSettings, programs: [{ name: 'Welding' }] }, NOW), clickIds: ['gclid'] }

const aSource = (more: Partial<LeadSource> = {}): LeadSource => ({
  id: 7,
  name: 'Vendor',
  kind: 'post',
  leadKind: 'student',
  language: 'en',
  mayWrite: false,
  mapping: {},
  ...more,
})

const mapping: Mapping = { fullName: 'name', email: 'email', phone: 'tel', state: 'state', message: 'text', id: 'id' }

function read(post: object, more: Partial<LeadSource> = {}): Exclude<PostedInquiry, { problem: string }> {
  const found = inquiryOfPost(aSource({ mapping, ...more }), post, context)
  if ('problem' in found) throw new Error(found.problem)
  return found
}

describe('a mapping', () => {
  test('finds a value by its name, inside of others, in a list, and by a name with a dot', () => {
    const post = { a: { b: [{ c: 1 }, 'two'] }, 'x.y': 'dotted', yes: true, several: ['one', 'two'] }
    deepEqual(
      valuesIn(post, { firstName: 'a.b.0.c', lastName: 'a.b.1', city: 'x.y', consent: 'yes', message: 'several' }),
      { firstName: '1', lastName: 'two', city: 'dotted', consent: 'true', message: 'one, two' },
    )
  })

  test('finds an answer in a list by the name of its question, as lead forms of Meta have it, and guesses it', () => {
    const post = {
      leadgen_id: '4443',
      field_data: [
        { name: 'full_name', values: ['Ana Ruiz'] },
        { name: 'email', values: ['ana@mail.example'] },
        { name: 'days', values: ['Monday', 'Friday'] },
      ],
    }
    const at = { fullName: 'field_data.full_name', email: 'field_data.email' }
    deepEqual(valuesIn(post, { ...at, message: 'field_data.days', phone: 'field_data.phone_number' }), {
      fullName: 'Ana Ruiz',
      email: 'ana@mail.example',
      message: 'Monday, Friday',
    })
    deepEqual(guessMapping('student', post), { ...at, id: 'leadgen_id' })
    const others = { answers: [{ question: 'Email', answer: 'ana@mail.example' }, { question: 'toString' }] }
    deepEqual(valuesIn(others, { email: 'answers.Email', city: 'answers.toString' }), {}, 'not a list of answers')
    deepEqual(valuesIn({ answers: others.answers.slice(0, 1) }, { email: 'answers.Email' }), {
      email: 'ana@mail.example',
    })
  })

  test('never reads what an object inherits', () => {
    deepEqual(valuesIn({}, { firstName: 'constructor.name', lastName: '__proto__', city: 'toString' }), {})
  })

  test('may have a fixed text, but not for what would then be made up', () => {
    deepEqual(valuesIn({}, { program: '"Welding"' }), { program: 'Welding' })
    equal(placeProblem('program', '"Welding"'), undefined)
    match(placeProblem('consent', '"yes"') ?? '', /must come from each post/)
  })

  test('is guessed from a sample', () => {
    const sample = {
      lead_id: 'a1',
      person: { first_name: 'Ana', last_name: 'Ruiz' },
      contact: { mail: 'ana@mail.example' },
    }
    deepEqual(guessMapping('student', sample), {
      firstName: 'person.first_name',
      lastName: 'person.last_name',
      email: 'contact.mail',
      id: 'lead_id',
    })
    deepEqual(guessMapping('student', { 'user[email]': 'ana@mail.example' }), { email: 'user[email]' })
  })
})

describe('a post', () => {
  test('becomes an inquiry that says from which source it is', () => {
    const { body, details } = read({ name: 'Ana Ruiz', email: 'ana@mail.example', tel: '512 555 0188', state: 'Texas' })
    deepEqual(body, {
      firstName: 'Ana',
      lastName: 'Ruiz',
      email: 'ana@mail.example',
      phone: '512 555 0188',
      state: 'Texas',
    })
    deepEqual(details.campaign, { source: 'Vendor' })
    deepEqual(details.source, { id: 7, name: 'Vendor', mayWrite: false })
    equal(details.placement, 'source')
  })

  test('needs an address or a number that can be read, and nothing else', () => {
    const { body } = read({ tel: '512 555 0188', email: 'ana@', state: 'Nowhere' })
    deepEqual(body, {
      firstName: '(not given)',
      lastName: '(not given)',
      phone: '512 555 0188',
      message: 'Email: ana@\nState: Nowhere',
    })
    deepEqual(inquiryOfPost(aSource({ mapping }), { name: 'Ana Ruiz', tel: '123' }, context), {
      problem: 'phone must contain 10 to 15 digits (it has 3)',
    })
    match((inquiryOfPost(aSource({ mapping }), [], context) as { problem: string }).problem, /phone number is required/)
  })

  test('of a site has a company and an address, even if they are not said', () => {
    const { body } = read({ name: 'Ana Ruiz', tel: '512 555 0188' }, { leadKind: 'site' })
    deepEqual([body['company'], body['address'], body['website']], ['(not given)', '(not given)', ''])
  })

  test('with control characters and half characters is stored without them', () => {
    const { body } = read({ name: 'Ana\u0000 Ruiz', tel: '512 555 0188', text: 'Hello\u0007 \ud800there' })
    ok(!/[\0\x07\ud800]/.test(JSON.stringify(body)))
    match(String(body['message']), /there/)
  })

  test('names a program of the school, or says which one it named', () => {
    const program = { ...mapping, program: 'course' }
    const said = { tel: '512 555 0188' }
    equal(read({ ...said, course: 'welding ' }, { mapping: program }).details.program, 'Welding')
    const other = read({ ...said, course: 'Flying' }, { mapping: program })
    equal(other.details.program, undefined)
    equal(other.body['message'], 'Program: Flying')
  })

  test('is known again by its id, whatever else it says, or by all its words', () => {
    const once = (post: object, more: Partial<LeadSource> = {}) => read({ tel: '512 555 0188', ...post }, more).once
    deepEqual(once({ id: 'a' }), once({ id: 'a', name: 'Someone Else' }))
    ok(once({ id: 'a' }).key !== once({ id: 'b' }).key)
    ok(once({ id: 'a' }).key !== once({ id: 'a' }, { id: 8 }).key)
    equal(once({ id: 'a' }).lifetime, null)
    deepEqual(once({ name: 'Ana Ruiz' }), once({ name: 'Ana Ruiz' }))
    ok(once({ name: 'Ana Ruiz' }).key !== once({ name: 'Eva Ruiz' }).key)
    ok((once({}).lifetime ?? 0) > 0)
  })

  test('with an id that JSON cannot hold is known by its words: two ids that read the same are two leads', () => {
    const id = (text: string) => JSON.parse(`{"id": ${text}, "tel": "512 555 0188"}`)
    const [one, other] = ['12345678901234567', '12345678901234568'].map(id)
    deepEqual(one, other, 'both are rounded to the same number')
    equal(read(one).id, undefined)
    equal(read(id('123456789012345')).id, '123456789012345')
    const google = readGoogleLead({ campaign_id: one.id, lead_id: one.id }, 'student')
    deepEqual(google.given, {})
  })
})

describe('the consent', () => {
  const consenting: Mapping = { ...mapping, consent: 'ok', consentText: 'words', consentPage: 'page' }
  const consentOf = (post: object) => read({ tel: '512 555 0188', ...post }, { mapping: consenting })
  const words = 'I agree to be called.'

  test('is what the source says', () => {
    deepEqual(consentOf({ ok: 'Yes', words, page: 'https://vendor.example/form?x=1' }).details.consent, {
      text: words,
      given: true,
      at: NOW,
      page: 'https://vendor.example/form',
    })
    deepEqual(consentOf({ ok: false, words }).details.consent, { text: words, given: false, at: NOW })
  })

  test('is not assumed: without an answer or its words it is none, but a refusal is recorded', () => {
    equal(consentOf({ words }).details.consent, null)
    const wordless = consentOf({ ok: true })
    equal(wordless.details.consent, null)
    equal(wordless.body['message'], 'Agreed to calls and texts (yes or no): true')
    equal(consentOf({ ok: 'perhaps', words }).details.consent, null)
    equal(consentOf({ ok: 'no' }).details.consent?.given, false)
  })
})

describe('a lead form of Google', () => {
  const google = { kind: 'google', name: 'Google Ads' } as const

  test('says how to reach the person, the campaign and the click, and its questions are answers', () => {
    const { body, details, id } = read(aGoogleLead(), google)
    deepEqual(body, {
      firstName: 'Ana',
      lastName: 'Ruiz',
      email: 'ana@mail.example',
      phone: '+1 512 555 0188',
      city: 'Austin',
      state: 'Texas',
    })
    deepEqual(details.campaign, { source: 'Google Ads', campaign: '123456789' })
    deepEqual(details.clicks, { gclid: 'a-click' })
    deepEqual(details.answers, [{ question: 'When do you want to start?', answer: 'In spring' }])
    deepEqual([id, details.consent], ['lead-1', null])
  })

  test('of a site takes the address and the number of the workplace', () => {
    const columns = [
      { column_id: 'FIRST_NAME', string_value: 'Ana' },
      { column_id: 'LAST_NAME', string_value: 'Ruiz' },
      { column_id: 'EMAIL', string_value: 'ana@mail.example' },
      { column_id: 'WORK_EMAIL', string_value: 'ana@clinic.example' },
      { column_id: 'COMPANY_NAME', string_value: 'Mercy Clinic' },
      { column_id: 'STREET_ADDRESS', string_value: '100 Main Street' },
      { column_id: 'POSTAL_CODE', string_value: '78701' },
    ]
    const { body, details } = read(aGoogleLead({ user_column_data: columns }), { ...google, leadKind: 'site' })
    deepEqual(
      [body['email'], body['company'], body['address']],
      ['ana@clinic.example', 'Mercy Clinic', '100 Main Street, 78701'],
    )
    deepEqual(details.answers, [{ question: 'EMAIL', answer: 'ana@mail.example' }])
  })

  test('that is not one at all is rejected', () => {
    for (const post of [null, 'text', [], { user_column_data: 'x' }, { user_column_data: [null, 1, {}] }])
      ok('problem' in inquiryOfPost(aSource(google), post, context))
  })
})
