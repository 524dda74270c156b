import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tracks } from '../../src/follow-up/cadence.ts'
import {
  closingReason,
  isSuppressedNote,
  type StopFacts,
  stopOf,
  suppressedNote,
} from '../../src/follow-up/stop-conditions.ts'

const quiet: StopFacts = {
  stage: 'new',
  paused: false,
  replied: false,
  unanswered: false,
  account: false,
  suppressed: null,
  hasAddress: true,
  tried: true,
  hasPostalAddress: true,
}

/** The reasons on the three tracks. */
function stops(facts: Partial<StopFacts>, staff?: string, student?: string, end?: string) {
  const found = tracks.map(track => stopOf(track, { ...quiet, ...facts }))
  equal(found.join(), [staff, student, end].join())
}

describe('the follow-up', () => {
  test('continues while nothing has happened', () => {
    stops({})
  })

  test('stops on every track once someone has reached the student, and on a pause', () => {
    const all = (reason: string) => [reason, reason, reason] as const
    stops({ stage: 'contacted' }, ...all('the lead is reached'))
    stops({ stage: 'closed' }, ...all('the lead is closed'))
    stops({ paused: true }, ...all('the follow-up is paused'))
  })

  test('does not email a student with an account, but reminds the staff and ends', () => {
    stops({ account: true }, undefined, 'an account exists')
  })

  test('does not email a student who does not want or get email, but goes on with the staff and to its end', () => {
    stops({ suppressed: 'unsubscribed' }, undefined, 'the student has unsubscribed')
    stops({ suppressed: 'bounced' }, undefined, 'email to the address bounces')
    stops({ suppressed: 'complaint' }, undefined, 'the student reported an email as spam')
    stops({ suppressed: 'not me' }, undefined, 'the owner of the address did not write to us')
    stops({ hasPostalAddress: false }, undefined, 'the settings have no postal address')
  })

  test('reminds the staff of a reply, and neither emails the student nor closes the lead', () => {
    stops({ replied: true }, undefined, 'the student has replied', 'the student has replied')
  })

  test('names the weightiest of several reasons', () => {
    const everything: Partial<StopFacts> = {
      paused: true,
      account: true,
      replied: true,
      suppressed: 'bounced',
      hasPostalAddress: false,
    }
    equal(stopOf('student', { ...quiet, ...everything, stage: 'closed' }), 'the lead is closed')
    equal(stopOf('student', { ...quiet, ...everything, paused: false, account: false }), 'email to the address bounces')
  })

  test('leave notes that are recognized, also those that are stored already', () => {
    for (const reason of ['unsubscribed', 'bounced', 'complaint', 'not me'] as const)
      equal(isSuppressedNote(suppressedNote(reason)), true)
    equal(isSuppressedNote('this address is suppressed: bounced'), true)
    for (const note of [null, '', 'canceled', 'the lead is closed: spam']) equal(isSuppressedNote(note), false)
  })

  test('closes a lead with the reason why nothing came of it', () => {
    equal(closingReason(quiet), 'no reply')
    equal(closingReason({ ...quiet, suppressed: 'unsubscribed' }), 'unsubscribed')
    equal(closingReason({ ...quiet, suppressed: 'complaint' }), 'unsubscribed')
    equal(closingReason({ ...quiet, suppressed: 'bounced' }), 'unreachable')
    equal(closingReason({ ...quiet, suppressed: 'not me' }), 'unreachable')
    for (const suppressed of [null, 'unsubscribed', 'bounced', 'complaint', 'not me'] as const)
      equal(closingReason({ ...quiet, tried: false, suppressed }), 'never contacted')
  })
})
