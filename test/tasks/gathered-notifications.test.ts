import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MailDeferred } from '../../src/mail/transport/mailer.ts'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { startApp, type TestApp, type TestOptions, withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'

onEachEngine(engine => {
  describe('more inquiries within ten minutes than notifications go out one by one', () => {
    const start = (t: Parameters<typeof startApp>[0], options: TestOptions = {}) =>
      startApp(t, { engine, settings: { ...withoutFollowUp, mail: { notificationsAtOnce: 3 } }, ...options })
    const toTeams = ({ sent }: TestApp) => sent.filter(({ id }) => id.startsWith('notify'))
    let people = 1000
    const post = async (service: TestApp, students: number, sites: number) => {
      // What is filed together becomes leads in the order of the addresses.
      for (let i = 0; i < students; i++)
        await service.postStudent(aStudent({ firstName: `Ben${i}`, email: `ben${++people}@mail.example` }))
      await service.settle()
      for (let i = 0; i < sites; i++) await service.postSite(aSite({ company: `Clinic ${i}` }))
      await service.settle()
    }

    test('are one email to each team, which names them; nothing else changes', async t => {
      const service = await start(t)
      await post(service, 5, 2)
      equal(toTeams(service).length, 3)
      equal(service.sent.filter(({ id }) => id.startsWith('receipt')).length, 5)
      equal((await service.app.store.listLeads({ limit: 10 })).length, 7)

      service.clock.advance(10 * MINUTE)
      await service.settle()
      const gathered = toTeams(service).slice(3)
      deepEqual(gathered.map(({ to, subject }) => [to.address, subject]).sort(), [
        ['admissions@localhost', '2 more inquiries in the rush'],
        ['partnerships@localhost', '2 more inquiries in the rush'],
      ])
      const texts = gathered.map(({ text }) => text).join()
      for (const name of [/Ben3/, /Ben4/, /Clinic 0/, /Clinic 1/]) match(texts, name)
      const told = await sql(
        service.database,
        "select count(*) as n from timeline where kind = 'email' and detail = 'notify'",
      )
      equal(Number(told[0]?.['n']), 7)

      service.clock.advance(HOUR)
      await post(service, 3, 0)
      equal(toTeams(service).length, 8)
    })

    test('wait together for a mail server that is away, and stay one email', async t => {
      let away = false
      const service = await start(t, {
        mail: async () => {
          if (away) throw new MailDeferred('421 try later')
        },
      })
      await post(service, 8, 0)
      away = true
      service.clock.advance(10 * MINUTE)
      await service.settle()
      equal(toTeams(service).length, 3)
      away = false
      for (let i = 0; i < 10; i++) {
        service.clock.advance(MINUTE)
        await service.settle()
      }
      deepEqual(
        toTeams(service)
          .slice(3)
          .map(({ subject }) => subject),
        ['5 more inquiries in the rush'],
      )
    })
  })
})
