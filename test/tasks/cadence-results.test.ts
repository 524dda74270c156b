import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { onEachEngine } from '../support/engines.ts'
import { ben, type School, startSchool } from './school.ts'

const range = { from: '2026-11-01', to: '2026-12-31' }

/** What the follow-up emails brought: `day-1: 2 sent, 1 replied, 0 unsubscribed, 0 bounced`. */
async function results({ app: { store } }: School, query = {}): Promise<string[]> {
  while (await store.countLeads({ school: defaultSettings.school, limit: 50 }));
  const rows = await store.readCadenceResults({ ...range, ...query })
  return rows
    .map(
      ({ kind, step, sent, replied, unsubscribed, bounced }) =>
        `${kind} ${step}: ${sent} sent, ${replied} replied, ${unsubscribed} unsubscribed, ${bounced} bounced`,
    )
    .toSorted()
}

const event = (school: School, leadId: number, kind: 'reply' | 'bounce', unproven = false) =>
  school.app.store.recordInbound(
    {
      mailbox: 'INBOX',
      uidValidity: '1',
      uid: ++uid,
      effect: {
        leadId,
        event: { kind, detail: 'Hello', tell: false, ...(unproven && { mail: { unproven: true } }) },
        suppression: null,
      },
    },
    school.clock.now(),
  )
let uid = 0

onEachEngine(engine => {
  describe('what follow-up emails brought', () => {
    test('counts for the last one before it, once, and stays when the person is erased', async t => {
      uid = 0
      const school = await startSchool(t, { engine })
      const { store } = school.app
      await store.setMailboxPosition('INBOX', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
      await school.postStudent(ben())
      await school.postStudent(ben({ email: 'zoe@mail.example' }))
      await school.postStudent(ben({ email: 'kim@mail.example' }))
      await school.settle()
      deepEqual(await results(school), [], 'no email was sent yet')
      await school.until('11-24 20:00')
      await event(school, 1, 'reply', true)
      deepEqual(await results(school), ['student day-1: 3 sent, 0 replied, 0 unsubscribed, 0 bounced'])
      await event(school, 1, 'reply')
      await event(school, 1, 'reply')
      await event(school, 2, 'bounce')
      const first = ['student day-1: 3 sent, 1 replied, 0 unsubscribed, 1 bounced']
      deepEqual(await results(school), first)
      deepEqual(await results(school, { to: '2026-11-23' }), [])
      deepEqual(await results(school, { kind: 'site' }), [])
      await school.until('11-27 20:00')
      await store.stopFollowUpEmails(3, {
        addressHash: await school.hashOf('kim@mail.example'),
        reason: 'unsubscribed',
        now: school.clock.now(),
      })
      deepEqual(await results(school), [...first, 'student day-3: 2 sent, 0 replied, 1 unsubscribed, 0 bounced'])
      const before = await results(school)
      await store.erasePerson('ben@mail.example', {
        askedBy: 'Ana Ruiz',
        reason: 'asked',
        now: school.clock.now(),
        addressHash: await school.hashOf('ben@mail.example'),
      })
      deepEqual(await results(school), before)
    })
  })
})
