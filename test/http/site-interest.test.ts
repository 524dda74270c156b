import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { countRows, onEachEngine } from '../support/engines.ts'

const succeeded = { success: true }

/** The tests count notifications, so reminders are off. */
const unreminded = { followUp: { site: [] } }

onEachEngine(engine => {
  describe('site interest', () => {
    test('a valid submission gets 200, becomes a lead, and the team is notified once', async t => {
      const service = await startApp(t, { engine })
      const response = await service.postSite(aSite({ email: 'Ana.Ruiz@Mercy.EXAMPLE' }))
      equal(response.status, 200)
      deepEqual(response.body, succeeded)
      equal(response.headers.get('cache-control'), 'no-store')

      await service.settle()
      const [lead, ...others] = await service.app.store.listLeads({ limit: 10 })
      equal(others.length, 0)
      equal(lead?.kind, 'site')
      equal(lead?.stage, 'new')
      equal(lead?.email, 'Ana.Ruiz@mercy.example')
      equal(lead?.phone, '(512) 555-0142')
      equal(lead?.phoneE164, '+15125550142')
      equal(service.sent.length, 1)
      equal(service.sent[0]?.to.address, 'partnerships@localhost')
      deepEqual(service.sent[0]?.replyTo?.address, 'Ana.Ruiz@mercy.example')
    })

    test('nothing is sent to the sender', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(aSite({ email: 'ana@mercy.example' }))
      await service.settle()
      deepEqual(
        service.sent.map(message => message.to.address),
        ['partnerships@localhost'],
      )
    })

    test('a phone number that is valid in no country is stored as it was written', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(aSite({ phone: '00000000000000' }))
      await service.settle()
      const [lead] = await service.app.store.listLeads({ limit: 1 })
      equal(lead?.phone, '00000000000000')
      equal(lead?.phoneE164, null)
    })

    test('the same body again within a day is a retry: stored and sent once', async t => {
      const service = await startApp(t, { engine })
      const body = aSite()
      equal((await service.postSite(body)).headers.get('idempotent-replayed'), null)
      service.clock.advance(23 * HOUR)
      const retry = await service.postSite(body)
      equal(retry.status, 200)
      deepEqual(retry.body, succeeded)
      equal(retry.headers.get('idempotent-replayed'), 'true')
      await service.settle()
      equal(service.sent.length, 1)
    })

    test('the same body after a day is a new submission of the same lead', async t => {
      const service = await startApp(t, { engine })
      const body = aSite()
      await service.postSite(body)
      service.clock.advance(DAY)
      equal((await service.postSite(body)).headers.get('idempotent-replayed'), null)
      equal((await service.postSite(body)).headers.get('idempotent-replayed'), 'true')
      await service.settle()
      equal(service.sent.length, 2)
      equal((await service.app.store.listLeads({ limit: 10 })).length, 1)
    })

    test('a body that differs only in startedAt is another submission', async t => {
      const service = await startApp(t, { engine })
      const body = aSite()
      await service.postSite(body)
      await service.postSite({ ...body, startedAt: body.startedAt + 1 })
      await service.settle()
      equal(service.sent.length, 2)
    })

    for (const header of ['Idempotency-Key', 'X-Idempotency-Key']) {
      test(`a key in the header ${header} makes a retry safe, whenever it comes`, async t => {
        const service = await startApp(t, { engine, settings: unreminded })
        const body = aSite()
        await service.postSite(body, { [header]: 'once' })
        service.clock.advance(30 * DAY)
        const retry = await service.postSite(body, { [header]: 'once' })
        equal(retry.headers.get('idempotent-replayed'), 'true')
        const other = await service.postSite({ ...body, company: 'Another' }, { [header]: 'once' })
        equal(other.status, 422)
        deepEqual(other.body, {
          error:
            'This idempotency key was already used with a different body. If you are retrying, send the original body; use a new key only for a different inquiry.',
        })
        await service.settle()
        equal(service.sent.length, 1)
      })
    }

    test('both headers must name the same key', async t => {
      const service = await startApp(t, { engine })
      const response = await service.postSite(aSite(), { 'Idempotency-Key': '"one"', 'X-Idempotency-Key': 'two' })
      equal(response.status, 400)
      match(response.text, /must be the same idempotency key/)
      const quoted = await service.postSite(aSite(), { 'Idempotency-Key': '"one"', 'X-Idempotency-Key': 'one' })
      equal(quoted.status, 200)
    })

    test('further submissions join the open lead and do not change its data', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(aSite({ email: 'ana@mercy.example', company: 'Mercy' }))
      await service.settle()
      await service.postSite(aSite({ email: 'ANA@mercy.example', company: 'Evil', firstName: 'Eve' }))
      await service.settle()
      const [lead, ...others] = await service.app.store.listLeads({ limit: 10 })
      equal(others.length, 0)
      equal(lead?.company, 'Mercy')
      equal(lead?.firstName, 'Ana')
      equal(service.sent.length, 2)
      match(service.sent[1]?.subject ?? '', /again/)
    })
  })

  describe('the honeypot', () => {
    test('a filled-in website is rejected with a reason, and the submission is quarantined', async t => {
      const service = await startApp(t, { engine })
      const response = await service.postSite(aSite({ website: 'https://mercy.example' }))
      equal(response.status, 400)
      match(response.text, /website must be the empty string/)
      await service.settle()
      const [quarantined] = await service.app.store.listQuarantine({ state: 'held', limit: 10 })
      equal(quarantined?.reason, 'honeypot')
      const { submission } = quarantined ?? {}
      equal(submission?.kind === 'site' && submission.body.website, 'https://mercy.example')
      equal(service.sent.length, 0)
      deepEqual(await service.app.store.listLeads({ limit: 10 }), [])
    })

    test('a body that is wrong in other ways, too, is not quarantined', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(aSite({ website: 'x', phone: '12' }))
      await service.settle()
      deepEqual(await service.app.store.listQuarantine({ state: 'held', limit: 10 }), [])
    })

    test('a corrected submission by the same person, with the same key, dismisses the quarantined one', async t => {
      const service = await startApp(t, { engine })
      const body = aSite({ email: 'ana@mercy.example' })
      const key = { 'Idempotency-Key': 'k' }
      equal((await service.postSite({ ...body, website: 'x' }, key)).status, 400)
      await service.settle()
      equal((await service.postSite(body, key)).status, 200)
      await service.settle()
      deepEqual(await service.app.store.listQuarantine({ state: 'held', limit: 10 }), [])
      equal((await service.app.store.listQuarantine({ state: 'dismissed', limit: 10 })).length, 1)
      equal(service.sent.length, 1)
    })

    test('a release, or a student of the same address, dismisses nothing', async t => {
      const service = await startApp(t, { engine })
      const email = 'ana@mercy.example'
      await service.postSite(aSite({ email, website: 'x', company: 'One' }))
      await service.postSite(aSite({ email, website: 'x', company: 'Two' }))
      await service.settle()
      const quarantined = () => service.app.store.listQuarantine({ state: 'held', limit: 10 })
      const [, first] = await quarantined()
      await service.app.store.releaseQuarantined(first?.submission.id ?? 0, { now: service.clock.now() })
      await service.settle()
      equal((await quarantined()).length, 1)
      await service.postStudent(aStudent({ email }))
      await service.settle()
      equal((await quarantined()).length, 1)
    })

    test('the same rejected body sent twice is quarantined once', async t => {
      const service = await startApp(t, { engine })
      const body = aSite({ website: 'x' })
      await service.postSite(body)
      await service.postSite(body)
      await service.settle()
      equal((await service.app.store.listQuarantine({ state: 'held', limit: 10 })).length, 1)
    })

    test('set to accept, a filled-in website gets 200 and is quarantined anyway', async t => {
      const service = await startApp(t, { engine, settings: { siteInterest: { honeypot: 'accept' } } })
      const response = await service.postSite(aSite({ website: 'x' }))
      equal(response.status, 200)
      deepEqual(response.body, succeeded)
      await service.settle()
      equal((await service.app.store.listQuarantine({ state: 'held', limit: 10 })).length, 1)
      equal(service.sent.length, 0)
    })
  })

  describe('screening', () => {
    const links = 'https://a.example https://b.example https://c.example and more'

    test('one signal alone is recorded on the lead and does not quarantine it', async t => {
      const service = await startApp(t, { engine })
      const now = service.clock.now()
      for (const over of [
        { startedAt: now - 1 * SECOND },
        { startedAt: now - 25 * HOUR },
        { startedAt: now + 6 * MINUTE },
        { message: links },
        { email: 'someone@mailinator.com' },
      ]) {
        equal((await service.postSite(aSite(over))).status, 200)
      }
      await service.settle()
      equal(service.sent.length, 5)
      const notes = service.sent.map(message => message.text)
      for (const note of [
        /within 3 seconds/,
        /more than 24 hours before/,
        /5 minutes ahead/,
        /three or more links/,
        /disposable/,
      ]) {
        equal(notes.filter(text => note.test(text)).length, 1)
      }
    })

    test('two signals that weigh enough get 200 and are quarantined, without a notification', async t => {
      const service = await startApp(t, { engine })
      const response = await service.postSite(aSite({ startedAt: service.clock.now(), message: links }))
      equal(response.status, 200)
      await service.settle()
      const [quarantined] = await service.app.store.listQuarantine({ state: 'held', limit: 10 })
      equal(quarantined?.reason, 'screening')
      deepEqual(quarantined?.signals, ['tooFast', 'links'])
      equal(service.sent.length, 0)
    })

    test('one text under many addresses is a signal', async t => {
      const service = await startApp(t, { engine })
      const message = 'Buy our excellent uniforms at a discount'
      for (let i = 0; i < 3; i++) {
        await service.postSite(aSite({ message, startedAt: service.clock.now() - 1 }))
        await service.settle()
      }
      equal(service.sent.length, 2)
      const [quarantined] = await service.app.store.listQuarantine({ state: 'held', limit: 10 })
      deepEqual(quarantined?.signals, ['tooFast', 'sharedText'])
    })

    test('one text is forgotten after a day', async t => {
      const service = await startApp(t, { engine, settings: unreminded })
      const message = 'Buy our excellent uniforms at a discount'
      for (let day = 0; day < 4; day++) {
        await service.postSite(aSite({ message, startedAt: service.clock.now() - 1 }))
        await service.settle()
        service.clock.advance(DAY)
      }
      equal(service.sent.length, 4)
      equal(await countRows(service.database, 'message_texts'), 1)
    })

    test('a text that the same person repeats is not one text under many addresses', async t => {
      const service = await startApp(t, { engine })
      const message = 'We would like to host two students in spring'
      for (let i = 0; i < 4; i++) {
        const startedAt = service.clock.now() - i
        await service.postSite(aSite({ email: 'ana@mercy.example', message, startedAt }))
      }
      await service.settle()
      equal(service.sent.length, 4)
    })
  })
})
