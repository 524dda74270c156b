/** What a process has claimed and never concluded: once its claim has ended, no one works on the task. */
import { equal, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { MailDeferred } from '../../src/mail/transport/mailer.ts'
import { HOUR } from '../../src/platform/time.ts'
import { LEASE } from '../../src/store/tasks/tasks.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { ben, startSchool } from './school.ts'

/** When a lease ends that is not held; the second is of a time before the clock was set back. */
const ended = [
  ['has ended', (now: number) => now],
  ['ends absurdly late', (now: number) => now + 48 * HOUR],
] as const

/** A school whose mail server is away, with one student, Ben. */
async function aSchool(t: TestContext, engine: Engine) {
  const school = await startSchool(t, {
    engine,
    mail: async () => {
      throw new MailDeferred('the mail server is away')
    },
  })
  await school.postStudent(ben())
  await school.settle()
  const now = school.clock.now()
  const { store } = school.app
  /** Some process has claimed these tasks, until that moment. */
  const claimed = (which: string, until: number) =>
    sql(
      school.database,
      `update tasks set lease_until = ${until}, lease_token = 'another' where state = 'due' and ${which}`,
    )
  const tasks = (which: string, columns = 'state') =>
    sql(school.database, `select ${columns} from tasks where ${which} order by id`)
  return { ...school, store, now, claimed, tasks }
}

type School = Awaited<ReturnType<typeof aSchool>>

/** Each acts once on a task, and returns whether that changed it. */
const actions: Record<string, (school: School, until: number) => Promise<boolean>> = {
  'can be retried': async ({ store, now, claimed, tasks }, until) => {
    await claimed(`kind = 'receipt'`, until)
    const [task] = await tasks(`kind = 'receipt'`, 'id')
    return (await store.retryMail([Number(task?.['id'])], { now })) === 1
  },
  'can be canceled': async ({ store, now, claimed }, until) => {
    const message = { subject: 'Hello', text: 'Hello', answers: undefined, reached: false }
    const when = { token: 'form', dueAt: now + HOUR, actor: 'maria', now }
    const written = await store.writeMessage(1, { ...message, ...when })
    ok('entry' in written)
    await claimed(`kind = 'message'`, until)
    return (await store.cancelMessage(written.entry, { now })).outcome === 'done'
  },
  'can be skipped': async ({ store, now, claimed }, until) => {
    await claimed(`kind = 'step' and step = 0`, until)
    const skip = { step: 0, name: 'the first', next: undefined }
    return (await store.skipStep(1, { ...skip, actor: 'maria', now })).outcome === 'done'
  },
  'does not keep a skipped step from being taken back': async ({ store, now, claimed, tasks }, until) => {
    const next = { step: 90, track: 'staff', dueAt: now + HOUR } as const
    const skip = { step: 0, name: 'the first', next, actor: 'maria', now }
    equal((await store.skipStep(1, skip)).outcome, 'done')
    await claimed('step = 90', until)
    const entry = (await store.readLead(1))?.timeline.find(({ kind }) => kind === 'skipped')
    const { outcome } = await store.takeBack(entry?.id ?? 0, { now })
    equal((await tasks('step = 90')).length, outcome === 'done' ? 0 : 1)
    return outcome === 'done'
  },
  'is stopped by a merge': async ({ store, postStudent, settle, now, claimed, tasks }, until) => {
    await postStudent(aStudent({ firstName: 'Ben', lastName: 'Okafor', email: 'b@mail.example' }))
    await settle()
    await claimed(`kind = 'receipt' and subject = 2`, until)
    const by = { actor: 'maria', now }
    equal((await store.mergeLeads(1, { other: 2, ...by })).outcome, 'done')
    const [receipt] = await tasks(`kind = 'receipt' and subject = 2`)
    return receipt?.['state'] === 'skipped'
  },
  'is stopped, and has no claim any more, when the person needs no answer': async (
    { store, database, now, claimed, tasks },
    until,
  ) => {
    await sql(database, `update leads set unanswered_since = ${now}, first_attempt_at = ${now}`)
    await claimed(`kind = 'step' and step = 0`, until)
    equal((await store.needNoAnswer(1, { actor: 'maria', now })).outcome, 'done')
    const [reminder] = await tasks(`kind = 'step' and step = 0`, 'state, lease_until')
    return reminder?.['state'] === 'skipped' && reminder['lease_until'] === null
  },
  'goes to a corrected address at once': async ({ store, now, claimed, tasks }, until) => {
    await claimed(`kind = 'receipt'`, until)
    const contact = { email: 'right@mail.example', phone: '512-555-0199', phoneE164: null }
    const by = { again: [], actor: 'maria', now }
    equal((await store.correctLead(1, { ...contact, ...by })).outcome, 'done')
    const [receipt] = await tasks(`kind = 'receipt'`, 'due_at')
    return Number(receipt?.['due_at']) === 0
  },
  'does not keep others from being gathered': async (school, until) => {
    const { store, postStudent, settle, now, claimed, tasks } = school
    await postStudent(aStudent({ email: 'another@mail.example' }))
    await settle()
    await sql(school.database, `update tasks set step = 2, state = 'due' where kind = 'notify'`)
    await claimed(`kind = 'notify' and subject = 1`, until)
    const [later] = await tasks(`kind = 'notify' and subject = 2`, 'id')
    const task = { id: Number(later?.['id']), step: 2 }
    return (await store.readGathered(task, { now, limit: 9 })) !== undefined
  },
  'does not keep a release from being undone': async (school, until) => {
    const { store, now, claimed } = school
    const id = await aQuarantined(school)
    equal(await store.releaseQuarantined(id, { now, actor: 'maria', dueAt: now + HOUR }), true)
    await claimed(`kind = 'refile'`, until)
    return store.undoRelease(id, { now })
  },
}

async function aQuarantined({ store, postSite, settle, now }: School): Promise<number> {
  await postSite(aSite({ website: 'https://spam.example' }, now))
  await settle()
  const [entry] = await store.listQuarantine({ state: 'held', limit: 1 })
  ok(entry)
  return entry.submission.id
}

onEachEngine(engine => {
  for (const [what, act] of Object.entries(actions))
    describe(`a task with a claim ${what}`, () => {
      for (const [when, until] of ended)
        test(`if its lease ${when}`, async t => {
          const school = await aSchool(t, engine)
          equal(await act(school, until(school.now)), true)
        })

      test('only then', async t => {
        const school = await aSchool(t, engine)
        equal(await act(school, school.now + LEASE), false)
      })
    })
})
