/** What leads take from forms: where people came from, and whether they agreed to calls and texts. */
import { deepEqual, equal } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { MINUTE } from '../../src/platform/time.ts'
import type { InboxFilter } from '../../src/store/lists/filter.ts'
import { startApp, withoutFollowUp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { aForm } from '../support/form-details.ts'
import { anArrival } from '../support/store.ts'

const ANA = 'ana@mail.example'

onEachEngine(engine => {
  describe('a lead that came by a form', () => {
    async function aService(t: TestContext) {
      const service = await startApp(t, { engine, settings: withoutFollowUp })
      const { store } = service.app
      return {
        ...service,
        store,
        /** Files an inquiry, with what its form added. */
        send: async (form: string | null, { email = ANA, receivedAt = service.clock.now() } = {}) => {
          const { idempotencyKey: _, ...body } = aStudent({ email })
          await store.accept(anArrival({ email, form, receivedAt, body: JSON.stringify(body) }))
          store.announce()
          await service.settle()
        },
        found: async (filter: InboxFilter) =>
          (await store.listInbox(filter, { limit: 9 })).rows.map(({ lead }) => lead.id),
      }
    }

    test('says where it came from by its first form that knows, and lists find it by each', async t => {
      const { send, store, found } = await aService(t)
      await send(aForm({ page: 'https://www.school.example/welding' }))
      equal((await store.findLead(1))?.cameFrom, null)
      await send(aForm({ referrer: 'https://www.jobs.example/nurses' }))
      await send(
        aForm({ referrer: 'https://search.example/', campaign: { source: 'Facebook', campaign: 'Spring 2027' } }),
      )
      await send(aForm({ campaign: { campaign: 'autumn' } }))
      await send(null, { email: 'ben@mail.example' })
      const lead = await store.findLead(1)
      deepEqual([lead?.cameFrom, lead?.campaign], ['jobs.example', 'Spring 2027'])
      for (const filter of [
        { cameFrom: 'jobs.example' },
        { cameFrom: 'facebook' },
        { campaign: 'spring-2027' },
        { campaign: 'autumn', cameFrom: 'facebook' },
      ])
        deepEqual(await found(filter), [1])
      deepEqual(await found({ cameFrom: 'school.example' }), [])
      deepEqual(await found({ campaign: 'spring' }), [])
      deepEqual(await store.recentOrigins(), { campaigns: ['Spring 2027'], sites: ['jobs.example'] })
    })

    test('is written to in the language of the latest form, and found by it', async t => {
      const { send, store, found } = await aService(t)
      await send(aForm({ language: 'pt-BR' }))
      await send(null)
      equal((await store.findLead(1))?.language, 'pt-BR')
      deepEqual([await found({ language: 'pt-BR' }), await found({ language: 'pt' })], [[1], []])
      await send(aForm({ language: 'es' }))
      equal((await store.findLead(1))?.language, 'es')
      deepEqual([await found({ language: 'pt-BR' }), await found({ language: 'es' })], [[], [1]])
    })

    test('keeps its language when a form that was sent earlier is filed later', async t => {
      const { send, store, found, clock } = await aService(t)
      const earlier = clock.now()
      clock.advance(MINUTE)
      await send(aForm({ language: 'es' }))
      await send(aForm({ language: 'pt-BR' }), { receivedAt: earlier })
      equal((await store.findLead(1))?.language, 'es')
      deepEqual([await found({ language: 'pt-BR' }), await found({ language: 'es' })], [[], [1]])
    })

    test('keeps two campaigns apart that only differ after many letters', async t => {
      const { send, found } = await aService(t)
      const long = (end: string) => `2027-spring-welding-evening-facebook-retargeting-${end}`
      await send(aForm({ campaign: { campaign: long('a') } }))
      await send(aForm({ campaign: { campaign: long('b') } }), { email: 'ben@mail.example' })
      deepEqual(await found({ campaign: long('a') }), [1])
      deepEqual(await found({ campaign: long('b') }), [2])
    })

    test('has the latest answer about calls and texts, and keeps the earlier ones', async t => {
      const { send, store, found } = await aService(t)
      await send(null)
      deepEqual(await found({ consent: null }), [1])
      await send(aForm({ consent: { given: true, at: 1000 } }))
      const state = async () => {
        const lead = await store.findLead(1)
        return [lead?.consent, lead?.consentAt]
      }
      deepEqual(await state(), ['given', 1000])
      deepEqual([await found({ consent: 'given' }), await found({ consent: null })], [[1], []])
      await send(aForm({ consent: { given: false, at: 3000 } }))
      deepEqual(await state(), ['refused', 3000])
      deepEqual([await found({ consent: 'refused' }), await found({ consent: 'given' })], [[1], []])
      // A form that did not ask changes nothing, and neither does an earlier answer that is filed late.
      await send(aForm())
      await send(aForm({ consent: { given: true, at: 2000 } }))
      deepEqual(await state(), ['refused', 3000])
      deepEqual([await found({ consent: 'refused' }), await found({ consent: 'given' })], [[1], []])
      const read = await store.readLead(1)
      deepEqual(
        read?.submissions.map(({ form }) => form?.consent?.given),
        [undefined, true, false, undefined, true],
      )
    })

    test('has all of it after it was released from quarantine', async t => {
      const { send, store, found, clock, settle } = await aService(t)
      await send(
        aForm({
          trap: 'https://cheap.example',
          referrer: 'https://jobs.example/',
          campaign: { campaign: 'x' },
          consent: { given: true, at: 5 },
        }),
      )
      const [held] = await store.listQuarantine({ state: 'held', limit: 9 })
      deepEqual([held?.reason, held?.submission.form?.trap], ['honeypot', 'https://cheap.example'])
      equal(await store.releaseQuarantined(1, { now: clock.now() }), true)
      store.announce()
      await settle()
      deepEqual(await found({ campaign: 'x', consent: 'given', cameFrom: 'jobs.example' }), [1])
    })
  })
})
