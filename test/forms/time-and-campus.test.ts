/** The best time to call and the campus: chosen in a form, they move the reminders of calls and choose the counselor. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { EmailAddress } from '../../src/leads/body/email.ts'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asForm, readable, typed } from '../support/forms.ts'
import { MONDAY } from '../tasks/school.ts'

const NAME = 'open-day'

/** What a manager types to ask both. */
const form = {
  kind: 'student',
  name: NAME,
  order: 'message',
  'ask-message': 'optional',
  'own-count': '3',
  'own-0-id': 'q1',
  'own-0-label-en': 'Best time to call',
  'own-0-label-es': 'Mejor hora para llamarte',
  'own-0-type': 'time',
  'own-1-id': 'q2',
  'own-1-label-en': 'Which campus?',
  'own-1-type': 'campus',
  'own-1-choices-en': 'Austin\r\nDallas North',
  'own-2-id': 'q3',
  'own-2-label-en': 'Which shifts?',
  'own-2-type': 'choices',
  'own-2-choices-en': 'Day\r\nNight',
}

const counselor = (id: string) => ({ id, name: id, email: `${id}@school.example` as EmailAddress })

async function anOpenDay(t: TestContext, engine: Engine = 'sqlite') {
  const settings = {
    admissions: { counselors: [{ ...counselor('maria'), weight: 3, backup: 'sam' }, counselor('sam')] },
    school: { timeZone: 'America/New_York', hours: { monday: '09:00-19:00', tuesday: '09:00-17:00' } },
  }
  const service = await startConsole(t, { engine, settings, edits: true, clock: testClock(MONDAY) })
  const manager = await service.client('manager')
  equal((await manager.post('/forms/new', form)).path, `/forms/embed/${NAME}`)
  const url = `${service.origin.learn}/forms/${NAME}`
  const open = async (query = '') =>
    asForm(service, url, await service.request(`${url}${query}`, { headers: { Accept: 'text/html' } }))
  const send = async (values: Record<string, string>) => {
    equal((await (await open()).send(typed('student', { state: 'NY', ...values }))).status, 303)
    await service.settle()
  }
  const remindersAfter = async (minutes: number) => {
    service.clock.advance(minutes * MINUTE)
    await service.settle()
    return service.sent.filter(({ id }) => id.startsWith('step')).length
  }
  return { ...service, manager, open, send, remindersAfter }
}

onEachEngine(engine => {
  describe('the best time to call that a student chooses', () => {
    test('moves the reminders of the call, and stands on the lead, in the call list and in exports', async t => {
      const { manager, open, send, remindersAfter, app } = await anOpenDay(t, engine)
      match((await open('?lang=es')).page.text, /Mejor hora.*value="Evening">\s*<label[^>]*>Por la noche</s)
      // On Monday at 11:30. The school is open until 19:00.
      await send({ 'own-q1': 'Evening' })
      equal(await remindersAfter(5 * 60), 0)
      match(
        readable((await manager.get('/leads/1')).text),
        /4:30 PM where they are, call until 8:00 PM, best in the evening/,
      )
      match(readable((await manager.get('/today')).text), /call until 8:00 PM, best in the evening/)
      match(readable((await manager.get('/team')).text), /1 not called yet(?! \d late)/)
      equal(await remindersAfter(34), 0)
      equal(await remindersAfter(2), 1)
      match(readable((await manager.get('/team')).text), /1 not called yet 1 late/)
      match((await manager.get('/export/leads.csv')).text, /Best time to call,Campus.*,evening,,/s)
      const [lead] = await app.store.listLeads({ limit: 9 })
      equal(lead?.bestTime, 'evening')
    })

    test('does not move a callback that was promised for another time', async t => {
      const { manager, send, clock, settle, sent } = await anOpenDay(t, engine)
      await send({ 'own-q1': 'Evening' })
      await manager.post('/leads/1', { do: 'callback', when: '1h' })
      const promised = sent.length
      const to = async (minutes: number) => {
        clock.advance(minutes * MINUTE)
        await settle()
        return sent.slice(promised).map(({ to }) => to.address)
      }
      deepEqual(await to(59), [])
      deepEqual(await to(2), ['maria@school.example'])
      deepEqual(await to(15), ['maria@school.example', 'sam@school.example'])
    })

    test('is what they chose last, and changes nothing where it does not come in school hours soon', async t => {
      const { manager, send, clock, remindersAfter } = await anOpenDay(t, engine)
      const email = 'ana@mail.example'
      await send({ email, 'own-q1': 'Morning', 'own-q2': 'Austin' })
      clock.advance(MINUTE)
      await send({ email, message: 'And how long does it take?' })
      match(readable((await manager.get('/leads/1')).text), /, best in the morning/)
      clock.advance(6 * HOUR)
      await send({ email, 'own-q1': 'Evening', message: 'Rather in the evening.' })
      match(readable((await manager.get('/leads/1')).text), /, best in the evening(?! \()/)
      // On Monday at 19:31 the school has closed, and does not open in the evening again until next Monday.
      clock.advance(2 * HOUR)
      match(readable((await manager.get('/leads/1')).text), /, best in the evening \(not within school hours\)/)
      equal(await remindersAfter(13 * 60), 0)
      equal((await remindersAfter(60)) > 0, true)
    })
  })

  describe('the campus that a student chooses', () => {
    test('leads to its counselor, who is chosen in the console, and lists find its leads', async t => {
      const { manager, send, database } = await anOpenDay(t, engine)
      const { text } = await manager.get('/team/people/sam')
      match(text, /name="campus-Dallas North"/)
      const saved = await manager.post('/team/people/sam', {
        version: fieldOn(text, 'version'),
        name: 'Sam',
        email: 'sam@school.example',
        weight: '0',
        'campus-Dallas North': 'on',
      })
      match(readable(saved.text), /Dallas North/)
      await send({ email: 'ana@mail.example', 'own-q2': 'Dallas North', 'own-q3-0': 'Day', 'own-q3-1': 'Night' })
      await send({ email: 'ben@mail.example', 'own-q2': 'Austin', 'own-q3-1': 'Night' })
      deepEqual(
        (await sql(database, 'select owner, campus from leads order by id')).map(({ owner, campus }) => [
          owner,
          campus,
        ]),
        [
          ['sam', 'Dallas North'],
          ['maria', 'Austin'],
        ],
      )
      match(readable((await manager.get('/leads/1')).text), /Assigned to Sam.*next in turn, at Dallas North/i)
      const found = async (query: string) =>
        Array.from(
          (await manager.get(`/inbox?${query}`)).text.matchAll(/<li class="lead[^>]*data-lead="(\d+)"/g),
          ([, id]) => id,
        )
      deepEqual(await found('campus=Dallas+North'), ['1'])
      deepEqual(await found('campus=Austin'), ['2'])
      deepEqual(await found('answer=Which+shifts%3F%3A+Day'), ['1'])
      deepEqual((await found('answer=Which+shifts%3F%3A+Night')).toSorted(), ['1', '2'])
      match((await manager.get('/export/leads.csv?campus=Austin')).text, /,Austin,/)
      doesNotMatch((await manager.get('/export/leads.csv?campus=Austin')).text, /ana@mail/)
      const page = (await manager.get('/inbox?campus=Austin')).text
      match(page, /<select name="campus">.*<option value="Austin" selected>Austin</s)
      match(page, /<optgroup label="Which shifts\?"><option value="Which shifts\?: Day">Day</)
      // Someone who chooses another campus later is found at that one alone.
      await send({ email: 'ben@mail.example', 'own-q2': 'Dallas North', message: 'I move to Dallas.' })
      deepEqual(await found('campus=Austin'), [])
      deepEqual((await found('campus=Dallas+North')).toSorted(), ['1', '2'])
    })
  })
})

test('a form asks for the time and for the campus only once', async t => {
  const { manager } = await anOpenDay(t)
  const twice = await manager.post('/forms/new', { ...form, name: 'twice', 'own-2-type': 'campus' })
  equal(twice.status, 422)
  match(readable(twice.text), /must not be asked twice in a form/)
})
