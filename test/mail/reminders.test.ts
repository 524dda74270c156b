import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MINUTE } from '../../src/platform/time.ts'
import {
  actsOf,
  aReminder,
  aSiteSubmission,
  aStudentSubmission,
  aView,
  hers,
  maria,
  RECEIVED,
  someMessages,
  someNews,
  team,
} from './fixtures.ts'

const messages = someMessages()
const reminder = (name: string, view = hers(aStudentSubmission()), more = {}) =>
  messages.reminder(`notifications/${name}.md`, aReminder(view, more))

/** A message about one of Maria's leads to someone else. */
const toOther = () => ({ ...hers(aStudentSubmission()), to: team, actor: undefined })

describe('a reminder', () => {
  test('tells the counselor who is waiting, for how long, and how to call', async () => {
    const { to, subject, text, html, replyTo, unsubscribe } = await reminder('reminder')
    deepEqual(to, maria)
    equal(subject, 'Reminder: Ana Ruiz is waiting for a call')
    match(
      text,
      /^Ana Ruiz has been waiting for 5 minutes\n=+\n\nCall \(214\) 555-0137\n\nAfter you call\n-+\n\nI reached/,
    )
    match(text, /\nEmail: ana@mercy\.example\n/)
    match(html, /href="tel:\+12145550137"/)
    equal(replyTo?.address, 'ana@mercy.example')
    equal(unsubscribe, undefined)
  })

  test('asks the backup to take over from the counselor it is assigned to', async () => {
    const { subject, text } = await reminder('take-over', toOther(), { waiting: 15 * MINUTE })
    equal(subject, 'Please take over: Ana Ruiz is waiting for a call')
    match(text, /Maria Lopez has not reached them, and they have been waiting for 15\nminutes\./)
    match((await reminder('take-over', aView(aStudentSubmission()))).text, /No one has reached them,/)
  })

  test('tells the manager that no one has reached them, and who should have', async () => {
    const { subject, text } = await reminder('escalation', toOther(), { waiting: 60 * MINUTE })
    equal(subject, 'Still waiting: Ana Ruiz')
    match(text, /^No one has reached Ana Ruiz in 1 hour\n/)
    match(text, /\nCounselor: Maria Lopez\n/)
    const tried = await reminder('escalation', aView(aStudentSubmission()), { attempts: 1, tried: true })
    match(tried.text, /^No one has reached Ana Ruiz in 5 minutes\n/)
    match(tried.text, /not assigned to anyone yet/)
  })

  test('does not say that no one has tried if someone wrote to them', async () => {
    const view = aView(aStudentSubmission())
    match((await reminder('reminder', view)).text, /No one has tried to reach them yet\./)
    const { text } = await reminder('reminder', view, { tried: true })
    match(text, /No call attempt is recorded, but someone wrote to them or changed the\s+stage/)
    doesNotMatch(text, /No one has tried/)
  })

  test('tells partnerships about a site, with its company', async () => {
    const view = aView(aSiteSubmission())
    const { subject, text } = await reminder('site-reminder', view, { waiting: 75 * 60 * MINUTE })
    equal(subject, 'Reminder: Ana Ruiz, Mercy Hospital, is waiting for a reply')
    match(text, /^Ana Ruiz has been waiting for 3 days\n=+\n\nMercy Hospital\n/)
    doesNotMatch(text, /^Company: /m)
    match(text, /\nAddress: 100 Main Street, Dallas, TX 75219\n/)
  })

  test('counts the call attempts so far', async () => {
    const texts = [0, 1, 2, 3].map(async attempts => {
      const { text } = await reminder('reminder', undefined, { attempts })
      return /^.*(?:tried|so far).*$/m.exec(text)?.[0]
    })
    deepEqual(await Promise.all(texts), [
      'No one has tried to reach them yet.',
      'One attempt so far, no answer.',
      'Two attempts so far, no answer.',
      '3 attempts so far, no answer.',
    ])
  })

  test('has the answers of the student, so that no one calls without them', async () => {
    const answers = { state: 'TX', timeline: { rank: 2, text: '2 - Within three months' } }
    for (const name of ['reminder', 'take-over', 'escalation']) {
      const { text } = await reminder(name, hers(aStudentSubmission(answers)))
      match(text, /\nTexas · start within three months\n\nCall/)
      match(text, /\nEmail: ana@mercy\.example\nLocation: TX\nStart: Within three months\n/)
    }
  })

  test('shows the beginning of the message, as it was typed', async () => {
    const message = `**Hello**\n${'word '.repeat(100)}`
    const { text } = await reminder('reminder', hers(aStudentSubmission({ message })))
    match(text, /\n> \*\*Hello\*\*\n> word .*word…\n/s)
    equal(text.match(/word/g)?.length, 54)
  })

  test('has action links in the name of its recipient', async () => {
    deepEqual(actsOf((await reminder('reminder')).html), [
      'contacted.12.maria.1000',
      'attempted.12.maria.1000',
      'assign.12.maria.1000',
      'open.12.maria.1000',
      'not-a-lead.12.maria.1000',
    ])
    const backup = await reminder('take-over', { ...toOther(), actor: 'ben' })
    deepEqual(actsOf(backup.html)[2], 'assign.12.ben.1000')
  })

  test('says why no emails go to the address, and does not invite a reply then', async () => {
    const reasons = {
      unsubscribed: /They unsubscribed, so they no longer get/,
      bounced: /Email to this address bounced, so we no longer send any\. Please call\./,
      complaint: /They reported one of our emails as spam/,
      'not me': /The owner of this email address says it was not them/,
    }
    for (const [suppressed, sentence] of Object.entries(reasons)) {
      const { text, replyTo } = await reminder('reminder', undefined, { suppressed })
      match(text, sentence)
      doesNotMatch(text, /Reply to this message|null/)
      equal(replyTo, undefined)
    }
    doesNotMatch((await reminder('reminder')).text, /no longer/)
  })

  test('says that the student has written back', async () => {
    const view = hers(aStudentSubmission())
    view.lead = { ...view.lead, unansweredSince: RECEIVED }
    const { subject, text } = await reminder('reminder', view)
    equal(subject, 'Reminder: Ana Ruiz wrote back and is waiting for an answer')
    match(text, /No answer needed[\s\S]*They wrote back on Saturday, November 21, 2026 at 7:15 AM EST/)
    match((await reminder('take-over', view)).text, /^Please answer Ana Ruiz/)
  })

  test('rounds the waiting time down', async () => {
    const { text } = await reminder('reminder', undefined, { waiting: 59_999 })
    match(text, /^Ana Ruiz has been waiting for less than a minute\n/)
  })
})

describe('news about a lead', () => {
  const view = hers(aStudentSubmission())

  test('shows a reply line for line, and replying writes to the person', async () => {
    const news = await messages.event(someNews(view, 'reply', 'Yes!\n\n> At *ten*\n<b>Ana</b>\n'))
    deepEqual(news.to, maria)
    deepEqual(news.replyTo, { name: 'Ana Ruiz', address: 'ana@mercy.example' })
    equal(news.subject, 'Ana Ruiz replied')
    match(news.text, /> Yes!\n>\n> > At \*ten\*\n> <b>Ana<\/b>\n\nThey are waiting/)
    match(news.text, /Reply to this message to write to Ana Ruiz\./)
  })

  test('says to call after a bounce, and quotes the mail server', async () => {
    const { subject, text } = await messages.event(someNews(view, 'bounce', '550 unknown'))
    equal(subject, 'Ana Ruiz: email bounced')
    match(text, /Please\s+call/)
    match(text, /The mail server said:\n\n> 550 unknown\n/)
    doesNotMatch((await messages.event(someNews(view, 'bounce', ''))).text, /server said/)
  })

  test('says to go gently after a complaint', async () => {
    const { subject, text } = await messages.event(someNews(view, 'complaint', ''))
    equal(subject, 'Ana Ruiz reported our email as spam')
    match(text, /go gently/)
  })

  test('says that the phone number may be right, and not to write, after "this was not me"', async () => {
    const { subject, text, html } = await messages.event(someNews(view, 'not-me', ''))
    equal(subject, 'Ana Ruiz: wrong email address')
    match(text, /The phone number may still be right/)
    match(html, /href="tel:/)
    doesNotMatch(html, /mailto:/)
  })

  test('says that a call is welcome after an unsubscription', async () => {
    const { subject, text } = await messages.event(someNews(view, 'unsubscribed', ''))
    equal(subject, 'Ana Ruiz unsubscribed')
    match(text, /a call is welcome/)
  })

  test('invites a reply only to a reply, and always has the action links', async () => {
    for (const kind of ['bounce', 'complaint', 'not-me', 'unsubscribed'] as const) {
      const { replyTo, text, html } = await messages.event(someNews(view, kind))
      equal(replyTo, undefined)
      doesNotMatch(text, /Reply to this message/)
      equal(actsOf(html).length, 5)
    }
  })

  test('shortens a very long reply', async () => {
    const { text } = await messages.event(someNews(view, 'reply', 'word '.repeat(5000)))
    match(text, /word…/)
    equal(text.length < 6000, true)
  })
})
