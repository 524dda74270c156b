import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LinkSubject } from '../../../src/lead-details/link-subject.ts'
import { DAY } from '../../../src/platform/time.ts'
import type { StaffAction } from '../../../src/signed-links.ts'
import { StoreUnavailable } from '../../../src/store/acceptance/store-unavailable.ts'
import { aLead, anInquiry, ask, choose, inStage, itsDetails, post, STAFF_ACTIONS, start } from './linked-pages.ts'

describe('a link in an email to the staff', () => {
  test('shows who it is about before it acts', async t => {
    const { staff, acts } = await start(t)
    for (const action of STAFF_ACTIONS) {
      const { status, text } = await ask(staff(action, 'jo'))
      equal(status, 200)
      const counselor = action === 'release' || action === 'dismiss' ? [] : ['Kim Lee']
      for (const fact of ['Ana Ruiz', 'Mercy Hospital', 'Jo &lt;Park&gt;', ...counselor]) {
        ok(text.includes(fact), `${action}: ${fact}`)
      }
      match(text, /<form method="post"[^>]*>.*<button>/s)
    }
    deepEqual(acts, [])
  })

  test('acts in the name of the counselor it was sent to', async t => {
    const { staff, acts } = await start(t)
    for (const action of STAFF_ACTIONS.filter(action => action !== 'assign')) {
      const { status, text } = await post(staff(action, 'kim'))
      equal(status, 200)
      match(text, /<h1>(Saved: (Kim Lee reached Ana Ruiz|no answer|no answer needed)|Closed|Released|Dismissed)<\/h1>/)
      match(text, /Recorded as done by Kim Lee\./)
    }
    deepEqual(
      acts,
      STAFF_ACTIONS.filter(action => action !== 'assign').map(action => [action, 12, 'kim']),
    )
  })

  test('acts in no one’s name from an email to a team', async t => {
    const { staff, acts } = await start(t)
    const { text } = await post(staff('contacted'))
    match(text, /<h1>Saved: someone reached Ana Ruiz<\/h1>/)
    match(text, /Recorded without a name, because the link came from a team email\./)
    deepEqual(acts, [['contacted', 12, undefined]])
  })

  test('says who had done it before, and when', async t => {
    const last = { by: 'Jo <Park>', at: 'today, 3:28 PM' }
    const before: Record<StaffAction, LinkSubject> = {
      contacted: inStage(aLead, 'contacted', 'Reached'),
      attempted: aLead,
      'no-answer-needed': aLead,
      assign: aLead,
      'not-a-lead': inStage(aLead, 'closed', 'Closed (not a lead)', 'not a lead'),
      release: inStage(anInquiry, 'released', 'Released'),
      dismiss: inStage(anInquiry, 'dismissed', 'Dismissed'),
    }
    for (const [action, found] of Object.entries(before) as [StaffAction, LinkSubject][]) {
      const describe = async () => ({ ...found, last })
      const { staff } = await start(t, { outcome: 'before', describe })
      const { status, text } = await post(staff(action, 'kim'), choose('kim'))
      equal(status, 200)
      match(text, /<h1>Already done<\/h1>\s*<p>Jo &lt;Park&gt; recorded this today, 3:28 PM\.</)
      doesNotMatch(text, /Undo/)
    }
  })

  test('says how things are now if it changes nothing, though it was not done before', async t => {
    const cases = [
      ['contacted', inStage(aLead, 'enrolled', 'Enrolled'), 'The lead stays enrolled.'],
      ['contacted', inStage(aLead, 'closed', 'Closed (spam)', 'spam'), 'The lead stays closed (spam).'],
      ['not-a-lead', inStage(aLead, 'closed', 'Closed', 'spam'), 'The lead stays closed.'],
      ['not-a-lead', inStage(aLead, 'qualified', 'Qualified'), 'The lead stays qualified.'],
      ['release', inStage(anInquiry, 'dismissed', 'Dismissed'), 'The inquiry stays dismissed.'],
      ['dismiss', inStage(anInquiry, 'released', 'Released'), 'The inquiry stays released.'],
    ] as const
    for (const [action, found, words] of cases) {
      const { staff } = await start(t, { outcome: 'before', describe: async () => found })
      const { text } = await post(staff(action, 'kim'))
      ok(text.includes(`<p>${words}</p>`), text)
      match(text, /<h1>Nothing has changed<\/h1>/)
      doesNotMatch(text, /recorded|Already|thank you/i)
    }
  })

  test('says what happened and what changed if the subject was erased before the button was pressed', async t => {
    for (const action of STAFF_ACTIONS) {
      const { staff } = await start(t, { outcome: 'before', describe: async () => undefined })
      const { status, text } = await post(staff(action, 'kim'), choose('jo'))
      equal(status, 404)
      match(text, /<p>What this link was about has been erased\. Nothing has changed\.<\/p>/)
    }
  })

  test('that has expired, after 30 days, offers a fresh one, sent to the person it was made for', async t => {
    for (const [actor, recipient] of [
      ['kim', 'Kim Lee'],
      [undefined, 'the team'],
    ] as const) {
      const { staff, clock, acts } = await start(t)
      clock.time += 30 * DAY + 1
      const { status, text } = await ask(staff('contacted', actor))
      equal(status, 410)
      match(text, /<h1>This link has expired<\/h1>/)
      ok(text.includes(`with links that work, to ${recipient}.`))
      match(text, /<button>Send me a fresh link<\/button>/)
      doesNotMatch(text, /Ana|<input|<select/)
      deepEqual(acts, [])
      const sent = await post(staff('contacted', actor), 'email=mallory@evil.example')
      match(sent.text, /<h1>A fresh link is on its way<\/h1>/)
      deepEqual(acts, [['fresh-link', 12, actor]])
    }
  })

  test('that has expired sends nothing twice in ten minutes, nor about what is gone', async t => {
    const again = await start(t, { outcome: 'before' })
    const url = again.staff('open', 'kim')
    again.clock.time += 30 * DAY + 1
    match((await post(url)).text, /<h1>A fresh link was sent a moment ago<\/h1>/)
    const erased = await start(t, { outcome: 'gone', describe: async () => undefined })
    erased.clock.time += 30 * DAY + 1
    doesNotMatch((await ask(erased.staff('open', 'kim'))).text, /<button/)
    equal((await post(erased.staff('open', 'kim'))).status, 404)
    const digest = await start(t)
    digest.clock.time += 30 * DAY + 1
    for (const { status, text } of [
      await ask(digest.staff('release')),
      await post(digest.staff('dismiss')),
      await ask(digest.staff('open', 'tom')),
    ]) {
      equal(status, 410)
      match(text, /in the next daily digest/)
      doesNotMatch(text, /<button/)
    }
    deepEqual(digest.acts, [])
  })

  test('about a quarantined inquiry shows what it says, and why it was quarantined', async t => {
    const { staff } = await start(t)
    for (const action of ['release', 'dismiss'] as const) {
      const { text } = await ask(staff(action))
      match(text, /<blockquote dir="auto">\s*<p>Cheap links!<\/p>/)
      match(text, /<li>The hidden field <code>website<\/code>, which people cannot see, was filled in/)
      match(text, /<li>The message has many links\.<\/li>/)
      match(text, /<a href="tel:\+12145550137">/)
    }
  })

  test('says that there is nothing when the lead was erased or the link is broken', async t => {
    const erased = await start(t, { describe: async () => undefined, outcome: 'gone' })
    const url = erased.staff('contacted', 'kim')
    for (const response of [await ask(url), await post(url)]) {
      equal(response.status, 404)
      match(response.text, /<h1>There is nothing at this link anymore<\/h1>/)
      doesNotMatch(response.text, /<form/)
    }
    const broken = await ask(`${url}x`)
    equal(broken.status, 404)
    match(broken.text, /<h1>This link was cut off<\/h1>/)
  })

  test('that cannot be followed now says so on a page, with the time after which to try again', async t => {
    const away = new StoreUnavailable('away')
    const { staff } = await start(t, { fail: away, describe: () => Promise.reject(away) })
    for (const response of [await ask(staff('contacted')), await post(staff('contacted'))]) {
      equal(response.status, 503)
      equal(response.headers.get('retry-after'), '5')
      match(response.text, /<h1>This does not work right now<\/h1>/)
    }
  })

  test('shows what visitors wrote as they wrote it, never as markup', async t => {
    const name = '<b>[x](http://evil.example)</b> {{ school.name }} | `x`'
    const lead = { ...aLead.lead, name, from: name }
    const { staff } = await start(t, { describe: async () => ({ ...aLead, lead }) })
    const { text } = await ask(staff('not-a-lead', 'kim'))
    ok(text.includes('&lt;b&gt;[x](http://evil.example)&lt;/b&gt; {{ school.name }} | `x`'))
    doesNotMatch(text, /<b>|href="http:\/\/evil|<code>/)
  })
})

describe('"Assign"', () => {
  test('asks who follows up, and suggests the person it was sent to, but no one in an email to a team', async t => {
    const { staff } = await start(t)
    const { text } = await ask(staff('assign'))
    match(text, /<label for="counselor">Who follows up\?<\/label>\s*<select id="counselor"[^>]* required>/)
    match(text, /<option value="">[^<]+<\/option>\s*<option value="kim">Kim Lee<\/option>/)
    ok(text.includes('<option value="jo">Jo &lt;Park&gt;</option>'))
    ok(text.includes('<option value="team">The team</option>'))
    doesNotMatch(text, / selected/)
    const own = (await ask(staff('assign', 'kim'))).text
    match(own, /<option value="kim" selected>/)
    doesNotMatch(own, /who are you/)
  })

  test('in an email to a team, also asks who acts, which may stay open', async t => {
    const { staff, acts } = await start(t)
    match((await ask(staff('assign'))).text, /<select id="actor"[^>]*>\s*<option value="">Someone on/)
    const named = new URLSearchParams({ counselor: 'jo', actor: 'kim' })
    match((await post(staff('assign'), named)).text, /Recorded as done by Kim Lee\./)
    match((await post(staff('assign'), choose('jo'))).text, /Recorded without a name/)
    deepEqual(acts, [
      ['assign', 12, 'kim', 'jo'],
      ['assign', 12, undefined, 'jo'],
    ])
  })

  test('assigns to the person who was chosen, in the name of the one who chose', async t => {
    const { staff, acts } = await start(t)
    const { status, text } = await post(staff('assign', 'kim'), choose('jo'))
    equal(status, 200)
    ok(text.includes('Recorded as done by Kim Lee.'))
    await post(staff('assign', 'kim'), new URLSearchParams({ counselor: 'team', actor: 'jo' }))
    deepEqual(acts, [
      ['assign', 12, 'kim', 'jo'],
      ['assign', 12, 'kim', 'team'],
    ])
  })

  test('says who gets the messages while the new owner is away', async t => {
    const { staff } = await start(t, { standIn: { name: 'Jo Park', until: 'December 3' } })
    const { text } = await post(staff('assign', 'jo'), choose('kim'))
    match(text, /They are away until December 3, so Jo Park gets the messages until then\./)
  })

  test('asks again if no one was chosen, or someone who is not in the settings', async t => {
    const { staff, acts } = await start(t)
    const url = staff('assign')
    for (const body of [undefined, choose(''), choose('__proto__'), '{"counselor":"jo"}']) {
      const { status, text } = await post(url, body)
      equal(status, 400)
      match(text, /<title>Error: /)
      match(text, /<p class="problem" id="problem">Choose who follows up\.<\/p>/)
      match(text, /<select[^>]* aria-invalid="true" aria-describedby="problem"/)
    }
    equal((await post(url, 'x'.repeat(25_000))).status, 413)
    deepEqual(acts, [])
  })

  test('has no button if there are no counselors', async t => {
    const { staff, acts } = await start(t, { counselors: [] })
    const { status, text } = await ask(staff('assign'))
    equal(status, 200)
    match(text, /The settings do not name any counselors yet/)
    doesNotMatch(text, /<form|<button/)
    equal((await post(staff('assign'), choose('kim'))).status, 400)
    deepEqual(acts, [])
  })
})

describe('what was done', () => {
  const undoable = { id: 77, actor: 'kim' }

  test('can be undone from the page that says so, with one button', async t => {
    const { staff, acts } = await start(t, { describe: async () => ({ ...aLead, undoable }) })
    const { text } = await post(staff('contacted', 'kim'))
    const url = staff('undo', 'kim', 77)
    ok(text.includes(`<form method="post" action="${path(url)}"`))
    match(text, /Undo works for ten minutes\./)
    match((await ask(url)).text, /<h1>Undo the last change\?<\/h1>/)
    match((await post(url)).text, /<h1>Undone<\/h1>/)
    deepEqual(acts, [
      ['contacted', 12, 'kim'],
      ['undo', 77, 'kim'],
    ])
  })

  test('cannot be undone with the link of another person', async t => {
    const { staff } = await start(t, { describe: async () => ({ ...aLead, undoable }) })
    doesNotMatch((await post(staff('contacted', 'jo'))).text, /Undo/)
    doesNotMatch((await post(staff('contacted'))).text, /Undo/)
  })

  test('with a quarantined inquiry: only a dismissal, since a release sends mail at once', async t => {
    const { staff, acts } = await start(t)
    const { text } = await post(staff('release'))
    match(text, /this cannot be undone/)
    doesNotMatch(text, /<form/)
    ok((await post(staff('dismiss'))).text.includes(`action="${path(staff('undismiss'))}"`))
    match((await post(staff('undismiss'))).text, /<h1>Undone<\/h1>/)
    deepEqual(acts.at(-1), ['undismiss', 12, undefined])
  })

  test('says so when it is too late', async t => {
    const { staff } = await start(t, { outcome: 'before' })
    match((await post(staff('undo', 'kim', 77))).text, /<h1>This can no longer be undone<\/h1>/)
  })
})

describe('a link of someone who is no longer on the staff', () => {
  test('does nothing, says who to ask, and shows nothing but the name of the lead', async t => {
    const { staff, acts } = await start(t)
    for (const action of [...STAFF_ACTIONS, 'open'] as const) {
      const url = staff(action, 'tom')
      for (const { status, text } of [await ask(url), await post(url, choose('kim'))]) {
        equal(status, 403)
        match(text, /<h1>This link no longer works<\/h1>/)
        match(text, /Ana Ruiz/)
        doesNotMatch(text, /<form|<button|href="\/act|<table|mailto:/)
      }
    }
    match((await ask(staff('open', 'tom'))).text, /tell Kim Lee\./)
    deepEqual(acts, [])
    const erased = await start(t, { describe: async () => undefined })
    match((await ask(erased.staff('open', 'tom'))).text, /has been erased/)
  })
})

describe('a link that opens a lead', () => {
  test('shows the lead and how to reach the person, and changes nothing, whatever is sent to it', async t => {
    const { staff, acts } = await start(t)
    const responses = [await ask(staff('open', 'kim')), await post(staff('open', 'kim'), choose('jo'))]
    for (const { status, text } of responses) {
      equal(status, 200)
      match(text, /<h1>Ana Ruiz<\/h1>/)
      match(text, /<a href="tel:\+12145550137">Call \(214\) 555-0137<\/a>/)
      match(text, /<a href="mailto:ana@mercy\.example">ana@mercy\.example<\/a>/)
      match(text, /<th scope="row">Counselor<\/th>\s*<td>Kim Lee<\/td>/)
      match(text, /Not Kim Lee\? .*This link works until December 21\./)
    }
    deepEqual(acts, [])
  })

  test('takes notes, and keeps what was written if there is a problem with it', async t => {
    const { staff, acts } = await start(t)
    const url = staff('note', 'kim')
    ok((await ask(staff('open', 'kim'))).text.includes(`action="${path(url)}"`))
    const saved = await post(url, new URLSearchParams({ note: 'Prefers <mornings>' }))
    match(
      saved.text,
      /<p class="saved" role="status">Note saved\. If you called, record the outcome of the call, too\.<\/p>/,
    )
    doesNotMatch(saved.text, /Prefers/)
    const { status, text } = await post(url, new URLSearchParams({ note: '' }))
    equal(status, 400)
    match(text, /id="note-problem">The note must not be empty\./)
    match((await ask(url)).text, /<h1>Ana Ruiz<\/h1>/)
    deepEqual(acts, [
      ['note', 12, 'kim', 'Prefers <mornings>'],
      ['note', 12, 'kim', ''],
    ])
  })

  test('promises a callback on a day, and resumes the follow-up', async t => {
    const paused = { ...itsDetails, paused: 'today' }
    const { staff, acts } = await start(t, { open: paused })
    const url = staff('callback', 'kim')
    const { text } = await post(url, new URLSearchParams({ day: '2026-11-24', time: '' }))
    match(text, /Callback promised for until Friday\./)
    ok(text.includes(`action="${path(staff('resume', 'kim'))}"`))
    const wrong = await post(url, new URLSearchParams({ time: '09:30' }))
    equal(wrong.status, 400)
    match(wrong.text, /id="callback-problem">Choose a day\./)
    match(wrong.text, /<input id="time"[^>]* value="09:30">/)
    match((await post(staff('resume', 'kim'))).text, /The follow-up has resumed\./)
    deepEqual(acts, [
      ['callback', 12, 'kim', { day: '2026-11-24', time: '' }],
      ['callback', 12, 'kim', { day: '', time: '09:30' }],
      ['resume', 12, 'kim'],
    ])
  })

  test('links to the possible actions, in the same name', async t => {
    const { staff, acts } = await start(t, { open: { ...itsDetails, owner: null } })
    const { text } = await ask(staff('open', 'jo'))
    const urls = ['contacted', 'attempted', 'assign', 'not-a-lead'] as const
    deepEqual(
      linksIn(text),
      urls.map(action => path(staff(action, 'jo'))),
    )
    await post(staff('assign', 'jo'), choose('jo'))
    deepEqual(acts, [['assign', 12, 'jo', 'jo']])
  })

  test('offers no action that would change nothing', async t => {
    const offered = async (over: Partial<typeof itsDetails>, actor?: string) => {
      const { staff } = await start(t, { open: { ...itsDetails, ...over } })
      const found = linksIn((await ask(staff('open', actor))).text)
      return STAFF_ACTIONS.filter(action => found.includes(path(staff(action, actor))))
    }
    const all = ['contacted', 'attempted', 'assign', 'not-a-lead']
    deepEqual(await offered({ owner: 'kim' }, 'kim'), all)
    deepEqual(await offered({ kind: 'site', owner: null }), all)
    deepEqual(await offered({ stage: 'contacted' }), ['attempted', 'assign', 'not-a-lead'])
    deepEqual(await offered({ stage: 'qualified' }), ['attempted', 'assign'])
    const wroteBack = { at: 'today, 3:00 PM', waiting: '2 hours' }
    deepEqual(await offered({ stage: 'qualified', wrote_back: wroteBack }), ['attempted', 'no-answer-needed', 'assign'])
    deepEqual(await offered({ stage: 'closed', reason: 'spam' }), ['attempted', 'assign'])
    deepEqual(await offered({ stage: 'closed', reason: 'no reply' }), [
      'contacted',
      'attempted',
      'assign',
      'not-a-lead',
    ])
  })

  test('is linked from the pages that act, and none of the links outlives the first', async t => {
    const { staff, clock } = await start(t)
    const url = staff('contacted', 'kim')
    clock.time += 20 * DAY
    for (const { text } of [await ask(url), await post(url)]) {
      ok(linksIn(text).includes(path(staff('open', 'kim'))))
    }
    ok(linksIn((await ask(staff('open', 'kim'))).text).includes(path(url)))
    for (const quarantined of [staff('release'), staff('dismiss')]) {
      deepEqual(linksIn((await ask(quarantined)).text), [])
    }
    clock.time += 10 * DAY + 1
    for (const { status, text } of [await ask(staff('open', 'kim')), await ask(url)]) {
      equal(status, 410)
      doesNotMatch(text, /Ana|555-0137/)
    }
  })

  test('says that there is nothing when the lead was erased', async t => {
    const { staff } = await start(t, { open: undefined })
    for (const { status, text } of [await ask(staff('open')), await post(staff('open'))]) {
      equal(status, 404)
      match(text, /<h1>There is nothing at this link anymore<\/h1>/)
    }
  })
})

const linksIn = (html: string): string[] => Array.from(html.matchAll(/href="(\/act\/[^"]*)"/g), ([, link = '']) => link)

const path = (url: string): string => new URL(url).pathname
