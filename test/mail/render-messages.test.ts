import { deepEqual, doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY } from '../../src/platform/time.ts'
import {
  actsOf,
  address,
  aSettings,
  aSiteSubmission,
  aStudentSubmission,
  aView,
  hers,
  maria,
  RECEIVED,
  someMessages,
  team,
  unstyled,
} from './fixtures.ts'

const messages = someMessages()

describe('the notification of site interest', () => {
  test('goes to its recipient, and replies go to the person', async () => {
    const content = await messages.siteInterest(aView(aSiteSubmission(), { to: maria }))
    equal(content.subject, 'New workplace inquiry: Ana Ruiz, Mercy Hospital')
    deepEqual(content.to, maria)
    equal(content.unsubscribe, undefined)
    deepEqual(content.replyTo, { name: 'Ana Ruiz', address: 'ana@mercy.example' })
  })

  test('starts with the person to call and how', async () => {
    const { text } = await messages.siteInterest(aView(aSiteSubmission()))
    match(
      text,
      /^Ana Ruiz\n=+\n\nMercy Hospital\n\nCall by Thursday, 9:00 AM\n\nCall \(214\) 555-0137\n\nAfter you call\n-+\n\nI reached them </,
    )
  })

  test('links to the phone number in international form, the mailbox, a map and the lead', async () => {
    const { html } = await messages.siteInterest(aView(aSiteSubmission()))
    match(html, /href="tel:\+12145550137"/)
    match(html, /href="mailto:ana@mercy\.example"/)
    match(html, /href="https:\/\/www\.openstreetmap\.org\/search\?query=100%20Main%20Street%2C%20Dallas/)
    match(html, /href="https:\/\/desk\.school\.example\/act\/open\.12\.team\.1000"/)
  })

  test('dials the digits of a phone number that is not valid in any country', async () => {
    const submission = aSiteSubmission({ phone: '0000 0000 000000' })
    const { html } = await messages.siteInterest(aView(submission))
    match(html, /href="tel:00000000000000"/)
  })

  test('keeps the lines of the message, in both parts, and has the address on one line', async () => {
    const submission = aSiteSubmission({ message: 'Good morning,\n\nwe offer:\n  - hours\n  - mentors' })
    const { text, html } = await messages.siteInterest(aView(submission))
    ok(text.includes('\nAddress: 100 Main Street, Dallas, TX 75219\n'))
    ok(text.includes('> Good morning,\n>\n> we offer:\n>   - hours\n>   - mentors\n'))
    match(unstyled(html), /<p>Good morning,<\/p>\n<p>we offer:<br>\n\u00a0\u00a0- hours<br>/)
  })

  test('keeps runs of spaces in the message, in both parts', async () => {
    const view = aView(aSiteSubmission({ message: 'Mon   8-12' }))
    const { text, html } = await messages.siteInterest(view)
    ok(text.includes('> Mon   8-12\n'))
    ok(html.includes('Mon \u00a0\u00a08-12'))
  })

  test('shows the notes of the screening', async () => {
    const view = aView(aSiteSubmission(), { notes: ['The form took 2 seconds.'] })
    const { text } = await messages.siteInterest(view)
    match(text, /Worth knowing\n-+\n\n- The form took 2 seconds\.\n/)
    doesNotMatch((await messages.siteInterest(aView(aSiteSubmission()))).text, /Worth knowing/)
  })

  test("says in the school's time zone when the inquiry arrived", async () => {
    const { text } = await messages.siteInterest(aView(aSiteSubmission()))
    match(text, /Received Saturday, November 21, 2026 at 7:15 AM EST\.\n/)
  })

  test('says so when it is late', async () => {
    const view = aView(aSiteSubmission(), { now: RECEIVED + 26 * 60 * 60 * 1000 })
    const { text } = await messages.siteInterest(view)
    match(text, /7:15 AM EST\. This notification\nis 1 day late\./)
  })

  test('says so when the person wrote before, and shows the stored values that differ', async () => {
    const submission = aSiteSubmission({ phone: '214 555 0199', company: 'Mercy' })
    const phones = [{ phone: '2145550137', at: 0 }]
    const view = aView(submission, { earlier: 2, phones })
    view.lead = { ...view.lead, phone: '2145550137', company: 'Mercy Hospital' }
    const { subject, text } = await messages.siteInterest(view)
    equal(subject, 'Ana Ruiz wrote again, Mercy')
    match(text, /2 earlier inquiries/)
    match(text, /Also given for Ana Ruiz: \(214\) 555-0137 /)
    match(text, /^Ana Ruiz\n=+\n\nMercy\n/)
    match(text, /- Company: Mercy Hospital\n/)
    doesNotMatch(text, /^Company: /m)
  })

  test('does not show a stored phone number that is only written differently', async () => {
    const phones = [{ phone: '(214) 555-0137', at: 0 }]
    const view = aView(aSiteSubmission({ phone: '214.555.0137' }), { earlier: 1, phones })
    view.lead = { ...view.lead, phone: '(214) 555-0137' }
    const { text } = await messages.siteInterest(view)
    match(text, /One earlier inquiry from/)
    doesNotMatch(text, /On file|Also given/)
  })

  test('cannot be rendered for a student', async () => {
    await rejects(messages.siteInterest(aView(aStudentSubmission())), TypeError)
  })
})

describe('the notification of student interest', () => {
  const answers = {
    city: 'Dallas',
    state: 'TX',
    timeline: { rank: 1, text: '1 - Within a month' },
    interestLevel: { rank: 2, text: '2 - Comparing schools' },
    experience: { rank: 3, text: '3 - None' },
    source: { rank: 4, text: '4 - A friend' },
    employer: 'Lone Star Care',
  }

  test('has the state and the timeline in the subject, in words', async () => {
    const content = await messages.studentInterest(aView(aStudentSubmission(answers)))
    equal(content.subject, 'New student inquiry: Ana Ruiz, Texas · start within a month')
    deepEqual(content.to, team)
    equal(content.replyTo?.address, 'ana@mercy.example')
  })

  test('says below the name what decides the call: language and consent in a few words, not their wording', async () => {
    const consent = { text: 'The school may call me.', given: true, at: 1, page: 'https://school.example' }
    const form = {
      campaign: {},
      language: 'es',
      placement: 'hosted',
      startedAt: 0,
      name: 'student-interest',
      consent,
    } as const
    for (const [state, words] of [
      ['given', 'may call and text'],
      ['refused', 'no consent: call by hand, do not text'],
      [null, 'may call and text'],
    ] as const) {
      const view = aView({ ...aStudentSubmission({ ...answers, phone: '5125550142' }), form })
      const lead = { ...view.lead, language: 'es', consent: state, consentAt: state && 1 }
      const { text } = await messages.studentInterest({ ...view, lead })
      ok(text.replaceAll('\n', ' ').includes(`Texas · start within a month · speaks Spanish · ${words}`), text)
      ok(text.includes('Call (512) 555-0142'), text)
      ok(!text.includes('The school may call me'), text)
    }
  })

  test('says by when the person was promised a call', async () => {
    const view = aView(aStudentSubmission(answers))
    match((await messages.studentInterest(view)).text, /\n\nCall by Monday, 10:00 AM\n\nCall \(/)
    const { text } = await messages.studentInterest({ ...view, now: RECEIVED + 4 * DAY })
    match(text, /\n\nCall now: it was due by Monday, 10:00 AM\n\nCall \(/)
  })

  test('has what the form asked among the answers, and where they came from in the small print', async () => {
    const chosen = { program: 'Welding', bestTime: 'afternoon' } as const
    const shown = { placement: 'hosted', language: 'en', startedAt: 0, consent: null } as const
    const page = 'https://school.example/welding'
    const form = { ...shown, ...chosen, page, campaign: { campaign: 'spring-2027' } }
    const view = aView({ ...aStudentSubmission(answers), form })
    const { text } = await messages.studentInterest({ ...view, lead: { ...view.lead, ...chosen } })
    match(text.replaceAll('\n', ' '), /Texas · start within a month · Welding · best in the afternoon /)
    const [, facts = '', smallPrint = ''] = /What they told us\n-+\n(.*)\n---\n(.*)$/s.exec(text) ?? []
    match(facts, /^Program: Welding$/m)
    doesNotMatch(facts, /spring-2027|example\/welding/)
    match(smallPrint, /Campaign: spring-2027 · Page: https:\/\/school\.example\/welding/)
  })

  test('lists the answers with labels', async () => {
    const { text, html } = await messages.studentInterest(aView(aStudentSubmission(answers)))
    const lines = [
      'Location: Dallas, TX',
      'Start: Within a month',
      'Interest: Comparing schools',
      'Experience: None',
      'Heard of us: A friend',
      'Employer: Lone Star Care',
    ]
    ok(text.includes(`\n${lines.join('\n')}\n`))
    match(unstyled(html), /<th scope="row">Start<\/th>\n<td>Within a month<\/td>/)
  })

  test('says how warm the answers are if the settings say which end of a scale is warmer', async () => {
    const settings = aSettings({ studentInterest: { answers: { timeline: { hotter: 'low' } } } })
    const view = aView(aStudentSubmission(answers))
    const { text, html } = await someMessages({ settings }).studentInterest(view)
    match(text, /^Ana Ruiz\n=+\n\nHot · Texas · start within a month\n\nCall/)
    match(html, /<strong>Hot<\/strong>/)
    doesNotMatch((await messages.studentInterest(view)).text, /Hot|Warm|Cool/)
  })

  test('leaves out everything that was not sent', async () => {
    const view = aView(aStudentSubmission())
    const { subject, text } = await messages.studentInterest(view)
    equal(subject, 'New student inquiry: Ana Ruiz')
    doesNotMatch(text, /Location|^>|null|undefined/m)
    const again = await messages.studentInterest({ ...view, earlier: 1 })
    equal(again.subject, 'Ana Ruiz wrote again')
  })

  test('says that a person with an account may need help signing in', async () => {
    const view = aView(aStudentSubmission())
    view.lead = { ...view.lead, account: true }
    const { subject, text } = await messages.studentInterest(view)
    equal(subject, 'Ana Ruiz already has an account')
    match(text, /already have an account at https:\/\/learn\.school\.example\. They may\nneed help signing in/)
    const other = await messages.studentInterest(aView(aStudentSubmission()))
    doesNotMatch(other.text, /account/)
  })
})

describe('the action links', () => {
  test('act in the name of the counselor who gets the message', async () => {
    const { html } = await messages.studentInterest(aView(aStudentSubmission(), { to: maria, actor: 'maria' }))
    deepEqual(actsOf(html), [
      'contacted.12.maria.1000',
      'attempted.12.maria.1000',
      'assign.12.maria.1000',
      'open.12.maria.1000',
      'not-a-lead.12.maria.1000',
    ])
    match(html, /contacted\.12\.maria\.1000"[^>]*>I reached them</)
    match(html, /\/open\.12\.maria\.1000"[^>]*>Open the lead</)
    match(html, />Assign to me</)
  })

  test('offer to assign students and sites, also to the person who has them and may hand them on', async () => {
    const own = await messages.studentInterest(hers(aStudentSubmission()))
    const site = await messages.siteInterest(aView(aSiteSubmission()))
    for (const { text } of [own, site]) match(text, /\nAssign <[^>]*assign\.12/)
    const alone = someMessages({ settings: aSettings() })
    const none = await alone.studentInterest(aView(aStudentSubmission()))
    doesNotMatch(none.text, /assign\./)
  })

  test('come with the name of the owner if the message goes to someone else', async () => {
    const view = hers(aStudentSubmission())
    const other = await messages.studentInterest({ ...view, to: team, actor: undefined })
    match(other.text, /\nCounselor: Maria Lopez\n/)
    doesNotMatch((await messages.studentInterest(view)).text, /Counselor|Maria/)
  })
})

describe('replies', () => {
  test('go to the ASCII form of an international domain', async () => {
    const submission = aSiteSubmission({ email: 'ana@klinik-münchen.example' })
    const { replyTo, html } = await messages.siteInterest(aView(submission))
    equal(replyTo?.address, 'ana@xn--klinik-mnchen-3ob.example')
    match(html, /href="mailto:ana@xn--klinik-mnchen-3ob\.example"/)
  })

  test('cannot go to a mailbox that needs SMTPUTF8, and the message says why', async () => {
    const submission = aSiteSubmission({ email: 'añа@mercy.example' })
    const { replyTo, text, html } = await messages.siteInterest(aView(submission))
    equal(replyTo, undefined)
    match(text, /A reply to this message will not reach Ana Ruiz/)
    match(html, /href="mailto:a%C3%B1%D0%B0@mercy\.example"/)
  })

  test('go to a name without the characters that have a meaning in a header', async () => {
    const submission = aSiteSubmission({ firstName: 'Ana" <x@evil.example>,', lastName: 'de la Cruz-O’Neil; Jr.' })
    const { replyTo } = await messages.siteInterest(aView(submission))
    equal(replyTo?.name, 'Ana x evil.example de la Cruz-O’Neil Jr.')
  })
})

describe('subjects', () => {
  test('are one line of at most 120 characters', async () => {
    const submission = aSiteSubmission({ company: `${'Ä𝄞'.repeat(60)}`, firstName: 'A\r\nBcc: x@y.example' })
    const { subject } = await messages.siteInterest(aView(submission))
    equal([...subject].length, 120)
    match(subject, /^New workplace inquiry: A Bcc: x@y\.example Ruiz, Ä𝄞.*…$/u)
  })

  test('contain no characters that reorder text', async () => {
    const submission = aSiteSubmission({ company: 'abc\u202egnp.exe\u2066' })
    const { subject } = await messages.siteInterest(aView(submission))
    equal(subject, 'New workplace inquiry: Ana Ruiz, abc gnp.exe')
  })
})

describe('the digest', () => {
  const held = (id: number, message?: string) => ({
    submission: { ...aSiteSubmission(message === undefined ? {} : { message }), id },
    reason: 'screening' as const,
    notes: ['Many links.'],
    heldAt: RECEIVED,
  })

  test('shows the quarantined inquiries and how to release them', async () => {
    const honeypot = { ...held(41), reason: 'honeypot' as const, notes: [] }
    const date = 'November 21, 2026'
    const view = { to: team, held: [honeypot, held(42)], more: 3, date, now: RECEIVED }
    const { to, subject, text, html } = await messages.quarantineDigest(view)
    deepEqual(to, team)
    equal(subject, '5 inquiries quarantined, November 21, 2026')
    match(
      text,
      /\nA hidden field that people cannot see was filled in\.\nana@mercy\.example · \(214\) 555-0137\nNumber 41, today, 7:15 AM/,
    )
    match(text, /\nMany links\.\nana@mercy\.example · \(214\) 555-0137\nNumber 42, today, 7:15 AM/)
    doesNotMatch(text, /npx/)
    deepEqual(actsOf(html), ['release.41.team.0', 'dismiss.41.team.0', 'release.42.team.0', 'dismiss.42.team.0'])
    match(text, /There are 3 more/)
  })

  test('uses the singular for one inquiry, and shortens a long message', async () => {
    const long = held(41, 'word '.repeat(300))
    const view = { to: team, more: 0, date: 'today', now: RECEIVED, held: [long] }
    const { subject, text } = await messages.quarantineDigest(view)
    equal(subject, 'One inquiry quarantined, today')
    match(text, /word…/)
    ok(text.length < 1500)
  })
})

test('a message comes from the school, and gets an id and a date', async () => {
  const content = await messages.test({ to: { name: '', address: address('ops@school.example') } })
  const date = new Date(RECEIVED)
  const message = messages.asMessage(content, { id: 'test.1@school.example', date })
  deepEqual(message.from, { name: 'Northside Trade School', address: 'frontdesk@school.example' })
  equal(message.to.address, 'ops@school.example')
  equal(message.id, 'test.1@school.example')
  equal(message.date, date)
})
