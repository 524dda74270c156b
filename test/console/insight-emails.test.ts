/** What insight says of emails. */
import { match } from 'node:assert/strict'
import { test } from 'node:test'
import { aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'

test('insight says which follow-up email brought answers, and how emails were delivered, also as CSV', async t => {
  const service = await startConsole(t)
  const manager = await service.client('manager')
  const words = async () => readable((await manager.get('/insight')).text)
  match(await words(), /No follow-up email was sent in these days\./)
  match(await words(), /No email was sent in these days\./)

  await service.postStudent(aStudent())
  await service.settle()
  const day = new Date(service.clock.now()).toISOString().slice(0, 10)
  const counts = [
    ['student', 'day-3', 8, { r: 2 }],
    ['student', 'day-1', 10, { r: 1, u: 2, b: 1 }],
    ['site', 'former', 3, {}],
  ] as const
  for (const [kind, step, sent, answers] of counts)
    for (const period of [day, day.slice(0, 7)])
      await sql(
        service.database,
        `insert into insight_counts (dimension, period, kind, value, leads, counts)
         values ('email', '${period}', '${kind}', '${step}', ${sent}, '${JSON.stringify(answers)}')`,
      )
  const text = await words()
  match(
    text,
    /After 1 day “When is a good time to call you\?” Students 10 1 10% 2 20% 1 10% .*After 3 days “Classes, cost[^”]*” Students 8 2 25% 0 0% 0 0% .*former no longer in the cadence Sites 3 0 0%/,
  )
  match(text, /To people 1 1 100% 0 0% 0 0% 0 0% 0 0% 0 0% 0/)
  const emails = await manager.get('/insight/emails.csv')
  match(emails.text, /Email,Kind,Sent,Replied,Unsubscribed,Bounced\nday-1,student,10,1,2,1\n/)
  match((await manager.get('/insight/delivery.csv')).text, /\nto people,1,1,0,0,0,0,0,0\n/)
})
