/** Today: everyone who waits for someone is on it, no one twice, and those who wait for an answer come first. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Step } from '../../src/follow-up/cadence.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { cadenceFields, remindAfter } from '../support/cadence-form.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { aSchool, counselors, MONDAY } from '../tasks/school.ts'

const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }
const settings = { admissions: { counselors: [maria] } }

/** Every state in which a lead of Maria can be. */
const cases = [
  ...combinations([
    ['new', 'contacted', 'closed'],
    ['no', 'overdue', 'later'],
    [false, true],
    [false, true],
    [false, true],
  ] as const),
]

function* combinations<Choices extends readonly (readonly unknown[])[]>(choices: Choices) {
  const total = choices.reduce((product, some) => product * some.length, 1)
  for (let number = 0; number < total; number++) {
    let rest = number
    yield choices.map(some => {
      const one = some[rest % some.length]
      rest = Math.floor(rest / some.length)
      return one
    }) as { -readonly [K in keyof Choices]: Choices[K][number] }
  }
}

async function aFullDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings })
  const { clock, database } = service
  const now = clock.now()
  for (const i of cases.keys())
    await service.postStudent(aStudent({ firstName: 'Lead', email: `lead${i}@mail.example` }))
  await service.settle()
  for (const [i, [stage, callback, wroteBack, paused, tried]] of cases.entries()) {
    const id = i + 1
    const due = callback === 'no' ? 'null' : callback === 'overdue' ? now - HOUR : now + HOUR
    await sql(
      database,
      `update leads set owner = 'maria', stage = '${stage}', closed_reason = ${stage === 'closed' ? "'not interested'" : 'null'},
        callback_at = ${stage === 'closed' ? 'null' : due}, paused_at = ${paused ? now : 'null'}, updated_at = ${now},
        first_attempt_at = ${tried ? now : 'null'}, unanswered_since = ${wroteBack ? now - i * MINUTE : 'null'} where id = ${id}`,
    )
    if (callback !== 'no' && stage !== 'closed')
      await sql(
        database,
        `insert into callbacks (lead_id, due_at, assignee, words, pauses, entry_id) values (${id}, ${due}, null, '', 0, 0)`,
      )
  }
  return { ...service, maria: await service.client('counselor', maria) }
}

const wanted = (which: (one: (typeof cases)[number]) => boolean): number[] =>
  cases.flatMap((one, i) => (which(one) ? [i + 1] : []))

onEachEngine(engine => {
  describe('Today', () => {
    test('shows everyone who waits for someone once, whatever else is true of them', async t => {
      const desk = await aFullDesk(t, engine)
      const { text } = await desk.maria.get('/today')
      const shown = [...text.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => Number(id))
      equal(new Set(shown).size, shown.length, 'no one twice')
      const promised = wanted(([stage, callback]) => stage !== 'closed' && callback === 'overdue')
      const isPromised = (id: number) => promised.includes(id)
      const wroteBack = wanted(([, , wrote]) => wrote).filter(id => !isPromised(id))
      deepEqual(shown.slice(0, promised.length).toSorted(), promised.toSorted())
      // The longest wait first.
      deepEqual(shown.slice(promised.length, promised.length + wroteBack.length), wroteBack.toReversed())
      const due = wanted(
        ([stage, callback, , paused]) => stage !== 'closed' && ((stage === 'new' && !paused) || callback === 'later'),
      )
      for (const id of due) ok(shown.includes(id), `lead ${id}: ${cases[id - 1]}`)
      equal(shown.length, new Set([...promised, ...wroteBack, ...due]).size)
      match(text, new RegExp(`${wroteBack.length} wrote back`))
    })

    test('promises a call from its first card, and records that no answer is needed', async t => {
      const service = await startConsole(t, { engine, settings })
      const email = 'ben@mail.example'
      await service.postStudent(aStudent({ email }))
      await service.settle()
      const { store } = service.app
      const by = { actor: null, now: service.clock.now() }
      await store.changeStage(1, { stage: 'contacted', closedReason: null, ...by })
      await service.postStudent(aStudent({ email, message: 'I still have not heard about the price.' }))
      await service.settle()
      const client = await service.client('counselor', maria)
      match((await client.get('/today')).text, /Next: wrote back[\s\S]*I still have not heard about the price/)
      const promised = await client.post('/inbox/actions', { do: 'callback:1', callback: '1h', back: '/today' })
      match(promised.text, /callback promised/)
      equal((await store.listCallbacks(1)).length, 1)
      const lead = async () => (await store.readLead(1))?.lead
      ok((await lead())?.unansweredSince, 'a promise is no answer')
      match((await client.get('/inbox?waiting=unanswered')).text, /data-lead="1"[\s\S]*Wrote back/)
      match((await client.get('/leads/1')).text, /Wrote back[\s\S]*I still have not heard about the price/)
      const ended = await client.post('/inbox/actions', { do: 'no answer needed:1', back: '/today' })
      match(ended.text, /no answer needed/)
      equal((await lead())?.unansweredSince, null)
      match((await client.get('/inbox?waiting=unanswered')).text, /Everyone has an answer/)
    })
  })

  test('a call that someone promised who has left the team waits for the counselor of the lead, or for the team', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true, clock: testClock(MONDAY) })
    const { store } = service.app
    const by = { actor: 'maria', now: service.clock.now() }
    for (const [i, owner] of ['maria', null].entries()) {
      await service.postStudent(aStudent({ email: `lead${i}@mail.example` }))
      await service.settle()
      await store.assignLead(i + 1, { owner, ...by })
      const plan = { dueAt: MONDAY + HOUR, words: '', moment: 'soon', reminders: [], assignee: 'sam', ...by }
      equal((await store.planCallback(i + 1, plan)).outcome, 'done')
    }
    service.clock.advance(2 * HOUR)
    const [admin, mine] = [await service.client('admin'), await service.client('counselor', counselors[0])]
    const promised = async () => {
      const { text } = await mine.get('/today')
      const counted = JSON.parse((await mine.get('/today/count')).text).now
      return [[...text.matchAll(/data-lead="(\d)"[\s\S]*?callback promised/g)].map(([, id]) => id), counted]
    }
    deepEqual(await promised(), [[], '0'])
    match(readable((await admin.get('/team/people/sam')).text), /promised 2 callbacks, which fall to the counselors of/)
    const { text } = await admin.post('/team/people/sam/remove', { version: '0' })
    match(text, /has left the team\. The 2 callbacks that they promised fall to the counselors of those leads/)
    deepEqual(await promised(), [['1', '2'], '2'])
  })

  test('only people who were called today are called again tomorrow, not those whose leads changed in another way', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
    const { store } = service.app
    await service.postStudent(aStudent())
    await service.settle()
    const by = () => ({ actor: 'maria', now: service.clock.now() })
    await store.assignLead(1, { owner: 'maria', ...by() })
    await store.recordCall(1, { outcome: 'no answer', note: '', ...by() })
    service.clock.advance(DAY)
    const client = await service.client('counselor', counselors[0])
    const list = async () => (await client.get('/today')).text
    for (const owner of ['sam', 'maria']) await store.assignLead(1, { owner, ...by() })
    match(await list(), /Next: to call now/)
    ok(!(await list()).includes('Tried today'))
    await store.addNote(1, { text: 'Asks for the fees', ...by() })
    ok(!(await list()).includes('Tried today'))
    await store.recordCall(1, { outcome: 'voicemail', note: '', ...by() })
    match(await list(), /Tried today/)
  })

  test('a lead that keeps an older cadence says when that one reminds of it', async t => {
    const service = await startConsole(t, { engine, settings })
    await service.postStudent(aStudent())
    await service.settle()
    const [due] = await sql(service.database, `select due_at from tasks where kind = 'step' and step = 0`)
    const [version] = await sql(service.database, 'select id, steps from cadences')
    // As if the settings had said 30 minutes when the lead began.
    const steps = String(version?.['steps']).replace('"5 minutes"', '"30 minutes"')
    await sql(service.database, `update cadences set steps = '${steps}' where id = ${version?.['id']}`)
    await sql(
      service.database,
      `update tasks set due_at = ${Number(due?.['due_at']) + 25 * MINUTE} where kind = 'step' and step = 0`,
    )
    const client = await service.client('counselor', maria)
    const by = async () => /call by [^<]*(\d\d)\s[AP]M</.exec((await client.get('/inbox')).text)?.[1]
    const before = await by()
    equal(Number(before) % 30, 0, `${before}`)
    await sql(service.database, `update tasks set state = 'skipped' where kind = 'step' and step = 0`)
    equal(await by(), before, 'also once the reminder is over')
  })

  test('the next to call is the one whose own cadence reminds of them first', async t => {
    const service = await startConsole(t, { engine, edits: true, settings: aSchool, clock: testClock(MONDAY) })
    const manager = await service.client('manager')
    const write = async (firstName: string, after: Step['after'], replaces: number) => {
      const edited = await manager.post('/cadence', cadenceFields([remindAfter(after)], { replaces }))
      match(edited.text, /in force/)
      await service.postStudent(aStudent({ firstName, email: `${firstName}@mail.example` }))
      await service.settle()
      return (await service.app.store.listEditedSettings('cadence', { limit: 1 }))[0]?.id ?? 0
    }
    const version = await write('Ana', '60 minutes', 0)
    service.clock.advance(10 * MINUTE)
    await write('Ben', '5 minutes', version)
    const { text } = await manager.get('/today')
    deepEqual(
      [...text.matchAll(/<a class="lead-link"[^>]*>(\w+) /g)].map(([, name]) => name),
      ['Ben', 'Ana'],
    )
  })

  test('a manager who follows up leads, too, reads who waits for colleagues, even where nothing is due for them', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
    const { store } = service.app
    const dana = await service.client('manager', { email: 'dana@school.example' })
    const empty = readable((await dana.get('/today')).text)
    match(empty, /All done No one waits for you/)
    ok(!empty.includes('for colleagues'))
    const by = { actor: 'maria', now: service.clock.now() }
    for (const [index, owner] of ['maria', 'maria', 'sam', 'maria'].entries()) {
      await service.postStudent(aStudent({ email: `lead${index}@mail.example` }))
      await service.settle()
      await store.assignLead(index + 1, { owner, ...by })
    }
    const plan = { words: '', moment: 'soon', reminders: [], ...by }
    await store.planCallback(2, { dueAt: MONDAY + HOUR, assignee: 'sam', ...plan })
    await store.planCallback(4, { dueAt: MONDAY + DAY, ...plan })
    service.clock.advance(2 * HOUR)
    const { text } = await dana.get('/today')
    match(
      readable(text),
      /Nothing is due for you.*Nothing to do for you.*3 people are waiting for colleagues: Sam Example 2, Maria Example 1/,
    )
    const [, path = ''] = /<a href="(\/inbox[^"]*)">Maria Example/.exec(text) ?? []
    match((await dana.get(path.replaceAll('&amp;', '&'))).text, /data-lead="1"/)
    await store.assignLead(1, { owner: 'manager', ...by })
    match(
      readable((await dana.get('/today')).text),
      /1 to call now.*2 people are waiting for colleagues: Sam Example 2/,
    )
    const maria = await service.client('counselor', counselors[0])
    ok(!(await maria.get('/today')).text.includes('for colleagues'))
  })
})
