/** The student of a colleague is found by a counselor who knows the person, and by no one who looks around. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { aSchool, counselors, MONDAY } from '../tasks/school.ts'

const [maria, sam] = counselors

/** Sam looks for Luis, who is with Maria, as everyone in Texas is; her backup is Sam's colleague Tom. */
async function aDesk(t: TestContext, engine?: Engine) {
  const tom = { id: 'tom', name: 'Tom Example', email: 'tom@school.example', weight: 0 }
  const team = [{ ...maria, backup: 'tom' }, sam, tom]
  const settings = { ...aSchool, admissions: { ...aSchool.admissions, counselors: team } } as typeof aSchool
  const service = await startConsole(t, { settings, clock: testClock(MONDAY), ...(engine && { engine }) })
  await aPerson({ firstName: 'Luis', lastName: 'Díaz', email: 'luis@mail.example', phone: '(512) 555-0177' })
  service.sent.length = 0
  const me = await service.client('counselor', sam)
  const find = async (q: string) => readable((await me.get(`/inbox?${new URLSearchParams({ q })}`)).text)
  const leave = (fields: object) => me.post('/inbox/note', { q: 'Luis Díaz', lead: '1', note: 'Call him', ...fields })
  return { ...service, me, find, leave, aPerson }

  async function aPerson(fields: object) {
    await service.postStudent(aStudent({ state: 'TX', message: 'About evening classes', ...fields }))
    await service.settle()
  }
}

const FOUND = /Luis Díaz is with Maria Example/

onEachEngine(engine => {
  describe('a counselor who looks for the student of a colleague', () => {
    test('learns who has them by their whole name, address or number, and nothing else', async t => {
      const { me, find } = await aDesk(t, engine)
      for (const q of ['Luis Díaz', 'diaz luis', 'díaz', 'LUIS@mail.example', '512-555-0177', '+1 512 555 0177']) {
        const text = await find(q)
        match(text, FOUND, q)
        doesNotMatch(text.replaceAll(q, ''), /luis@mail|555-0177|evening|No leads match/, q)
      }
      doesNotMatch((await me.get('/inbox?q=Luis+D%C3%ADaz')).text, /href="\/leads\/1/)
      equal((await me.get('/leads/1')).status, 404)
    })

    test('does not find them by less than that', async t => {
      const { find } = await aDesk(t, engine)
      for (const q of [
        'Lu',
        'Lui',
        'Dí',
        'Luis D',
        'Luis Evans',
        'luis@mail',
        '555-0177',
        '0177',
        'evening',
        'Luiz Diaz',
        '',
      ])
        doesNotMatch(await find(q), /is with|with colleagues/, q)
    })

    test('is told to say more where several people have that name', async t => {
      const { find, aPerson } = await aDesk(t, engine)
      for (const n of [2, 3]) await aPerson({ firstName: 'Ana', lastName: 'Díaz', email: `ana${n}@mail.example` })
      equal((await find('Díaz')).match(/is with Maria/g)?.length, 3)
      await aPerson({ firstName: 'Eva', lastName: 'Díaz', email: 'eva@mail.example' })
      const text = await find('Díaz')
      match(text, /Several people with that name are assigned to your colleagues/)
      doesNotMatch(text, /is with/)
      match(await find('Luis Díaz'), FOUND)
    })

    test('leaves a note, which is in the timeline with their name, and the colleague gets it at once', async t => {
      const { leave, settle, sent, database } = await aDesk(t, engine)
      const left = await leave({ note: 'He calls back at five' })
      match(readable(left.text), /The note on Luis Díaz is saved\. Maria Example gets an email\..*Luis Díaz is with/)
      // Pressed twice, it is one note.
      await leave({ note: 'He calls back at five' })
      await settle()
      const notes = await sql(database, `select detail, actor from timeline where kind = 'note'`)
      deepEqual(
        notes.map(({ detail, actor }) => [detail, actor]),
        [['He calls back at five', 'sam']],
      )
      deepEqual(
        sent.map(({ to, subject }) => [to.address, subject]),
        [['maria@school.example', 'Luis Díaz: a note from Sam Example']],
      )
      match(sent[0]?.text ?? '', /Sam Example left a note[\s\S]*> He calls back at five[\s\S]*You follow up/)
      const log = await sql(database, `select actor, action, detail, lead_id from audit_log where action = 'changed'`)
      deepEqual(
        log.map(({ actor, detail, lead_id }) => [actor, detail, Number(lead_id)]),
        [['Sam Example', 'note for the counselor', 1]],
      )
    })

    test('finds what they typed again on another device, until they leave or discard it', async t => {
      const { me, client, leave, database } = await aDesk(t, engine)
      const keep = (fields: object) =>
        me.post('/inbox/note/draft', { q: 'Luis Díaz', lead: '1', ...fields }, { 'x-part': 'draft' })
      const again = async () => (await me.get('/inbox?q=Luis+D%C3%ADaz')).text
      doesNotMatch(await again(), /<details open>|Draft kept/)
      match((await keep({ note: 'He calls back' })).text, /Draft kept from/)
      match(await again(), /<details open><summary>Leave a note[\s\S]*>He calls back<\/textarea>[\s\S]*Draft kept from/)
      // The counselor, who has the lead, sees that someone is writing.
      const owner = await client('counselor', maria)
      match((await owner.get('/leads/1')).text, /Sam Example has been writing a note about Luis Díaz/)
      await leave({ note: 'He calls back at five' })
      deepEqual(await sql(database, 'select id from drafts'), [])
      await keep({ note: 'And again' })
      match((await me.post('/inbox/note/draft', { q: 'Luis Díaz', lead: '1', discard: 'yes' })).text, /Draft discarded/)
      deepEqual(await sql(database, 'select id from drafts'), [])
      for (const fields of [{ q: '' }, { q: 'Luis D' }, { lead: '9' }])
        equal((await keep({ note: 'x', ...fields })).status, 404, JSON.stringify(fields))
      deepEqual(await sql(database, 'select id from drafts'), [])
    })

    test('who is away has someone who stands in, and gets the note for them', async t => {
      const { app, find, leave, settle, sent } = await aDesk(t, engine)
      await app.store.addAbsence({ counselor: 'maria', firstDay: '2026-11-20', lastDay: '2026-11-30', createdBy: 'x' })
      match(await find('Luis Díaz'), /is with Maria Example, who is away until November 30\./)
      match(readable((await leave({})).text), /Maria Example is away: Tom Example gets an email/)
      await settle()
      deepEqual(
        sent.map(({ to }) => to.address),
        ['tom@school.example'],
      )
    })

    test('cannot leave a note, or learn a name, by the number of a lead', async t => {
      const { leave, me, database, aPerson } = await aDesk(t, engine)
      await aPerson({ firstName: 'Eva', lastName: 'Cruz', email: 'eva@mail.example' })
      for (const fields of [{ lead: '2' }, { q: '' }, { q: 'Luis D' }, { lead: '' }, { lead: '9' }]) {
        const { status, text } = await leave(fields)
        equal(status, 404, JSON.stringify(fields))
        doesNotMatch(text, /Cruz|Luis/)
      }
      equal((await leave({ note: ' ' })).status, 422)
      deepEqual(await sql(database, `select id from timeline where kind = 'note'`), [])
      // One that they got meanwhile keeps the note.
      await sql(database, `update leads set owner = 'sam' where id = 1`)
      equal((await leave({})).status, 200)
      equal((await me.get('/leads/1')).status, 200)
    })
  })
})

test('people who see all leads find it among these', async t => {
  const service = await aDesk(t)
  for (const role of ['manager', 'viewer'] as const) {
    const { text } = await (await service.client(role)).get('/inbox?q=Luis+D%C3%ADaz')
    match(text, /href="\/leads\/1"/)
    doesNotMatch(text, /is with Maria/)
  }
})
