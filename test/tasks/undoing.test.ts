/** Undoing what someone pressed by mistake, in the whole service. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { aSchool, at, ben, linkIn, readLead, type School, startSchool, stepsIn } from './school.ts'

/** Ben has written on Monday at 16:30; the counselor, Maria, has the notification. */
async function withBen(t: TestContext, engine: Engine): Promise<School> {
  const school = await startSchool(t, { engine, settings: aSchool })
  await school.postStudent(ben())
  await school.settle()
  return school
}

const press = (school: School, url: string, form: Record<string, string> = {}) =>
  school.request(url, { method: 'POST', body: new URLSearchParams(form) })

/** Presses the button of a link; returns the URL of the button that undoes it. */
async function pressed(school: School, url: string, form = {}): Promise<string> {
  const { text } = await press(school, url, form)
  const [, undo] = /action="[^"]*(\/act\/[^"]*)"[^>]*>\s*<button[^>]*>Undo</.exec(text) ?? []
  ok(undo, text)
  return school.origin.console + undo
}

const entriesOf = async (school: School) =>
  (await readLead(school)).timeline
    .filter(({ kind }) => ['stage', 'attempt', 'assigned', 'undone'].includes(kind))
    .slice(1)
    .map(({ kind, detail, actor, undoneAt }) =>
      [kind, detail, actor, undoneAt === null ? '' : '(undone)'].join(' ').trim(),
    )

onEachEngine(engine => {
  describe('an action that was undone', () => {
    test('"I reached them": the lead is new again, and the reminders run as if nothing had happened', async t => {
      const school = await withBen(t, engine)
      await school.until('11-23 16:32')
      const undo = await pressed(school, linkIn(school, 'maria', 'I reached them'))
      equal((await readLead(school)).lead.stage, 'contacted')
      // The reminder after 5 minutes is skipped meanwhile, and the next one prepared.
      await school.until('11-23 16:41')
      deepEqual((await school.steps()).slice(0, 2), ['0 skipped the lead is reached', '1 due'])
      match((await press(school, undo)).text, /<h1>Undone<\/h1>/)
      const { lead } = await readLead(school)
      deepEqual([lead.stage, lead.firstContactAt, lead.firstAttemptAt, lead.closedReason], ['new', null, null, null])
      await school.until('11-23 18:00')
      deepEqual(stepsIn(school.diary()), [
        '11-23 16:41 maria step.1.0',
        '11-23 16:51 sam step.1.1',
        '11-23 17:36 dana step.1.2',
      ])
      await school.until('11-30 23:00')
      deepEqual(
        stepsIn(school.diary())
          .filter(line => line.includes(' ben '))
          .map(line => line.slice(0, 5)),
        ['11-24', '11-26', '11-30'],
      )
      deepEqual(await entriesOf(school), ['stage contacted maria (undone)', 'undone stage: new maria'])
    })

    test('"Not a lead": the lead is open again, unless the person has a new one', async t => {
      const school = await withBen(t, engine)
      const undo = await pressed(school, linkIn(school, 'maria', 'Not a lead'))
      deepEqual((await readLead(school)).lead.closedReason, 'not a lead')
      await school.postStudent(ben({ message: 'Hello again' }))
      await school.settle()
      match((await press(school, undo)).text, /can no longer be undone/)
      equal((await readLead(school)).lead.stage, 'closed')
      const second = await pressed(school, linkIn(school, 'maria', 'Not a lead'))
      await press(school, second)
      equal((await readLead(school, 2)).lead.stage, 'new')
    })

    test('"No answer" counts no longer, and may be pressed again', async t => {
      const school = await withBen(t, engine)
      const link = linkIn(school, 'maria', 'No answer')
      await press(school, await pressed(school, link))
      equal((await school.app.store.readLatest(1))?.attempts, 0)
      equal((await readLead(school)).lead.firstAttemptAt, null)
      await pressed(school, link)
      equal((await school.app.store.readLatest(1))?.attempts, 1)
    })

    test('"Assign": the people who were told are told, and the reminders go to the former owner', async t => {
      const school = await withBen(t, engine)
      const undo = await pressed(school, linkIn(school, 'maria', 'Assign'), { counselor: 'sam' })
      await school.settle()
      await press(school, undo)
      await school.settle()
      deepEqual(
        school.sent.slice(-2).map(({ to, subject }) => [to.address.split('@')[0], subject]),
        [
          ['sam', 'Assigned to you: Ben Okafor, waiting since today, 11:30 AM'],
          ['sam', 'Ben Okafor is now with Maria Example'],
        ],
      )
      match(school.sent.at(-1)?.text ?? '', /Assigning this lead to Sam\s+Example was undone by Maria/)
      // To undo that would change the counselor, and no one would learn of it.
      const undone = (await readLead(school)).timeline.findLast(({ kind }) => kind === 'undone')
      const by = { actor: 'maria', now: school.clock.now() }
      equal((await school.app.store.undoAction(undone?.id ?? 0, by)).outcome, 'before')
      equal((await readLead(school)).lead.owner, 'maria')
      await school.until('11-23 16:40')
      deepEqual(stepsIn(school.diary()), ['11-23 16:35 maria step.1.0'])
    })
  })

  describe('an action can no longer be undone', () => {
    test('after ten minutes, twice, or after the next change', async t => {
      const school = await withBen(t, engine)
      const tooLate = async (url: string) =>
        match((await press(school, url)).text, /<h1>This can no longer be undone<\/h1>/)
      const first = await pressed(school, linkIn(school, 'maria', 'No answer'))
      school.clock.advance(10 * MINUTE + 1)
      await tooLate(first)
      const second = await pressed(school, linkIn(school, 'maria', 'No answer'))
      const third = await pressed(school, linkIn(school, 'maria', 'I reached them'))
      await tooLate(second)
      await press(school, third)
      await tooLate(third)
      equal((await readLead(school)).lead.stage, 'new')
    })
  })

  test('fresh links come to the mailbox that the old ones were for, once in ten minutes', async t => {
    const school = await withBen(t, engine)
    const link = linkIn(school, 'maria', 'Open the lead')
    const now = at('11-23 16:30') + 31 * DAY
    school.downUntil(now)
    match((await school.request(link)).text, /to Maria Example\./)
    const before = school.sent.length
    match((await press(school, link)).text, /<h1>A fresh link is on its way<\/h1>/)
    match((await press(school, link)).text, /<h1>A fresh link was sent a moment ago<\/h1>/)
    await school.settle()
    const fresh = school.sent.slice(before).filter(({ subject }) => subject.startsWith('Fresh'))
    deepEqual(
      fresh.map(({ to, subject }) => [to.address, subject]),
      [['maria@school.example', 'Fresh links: Ben Okafor']],
    )
    const opened = await school.request(linkIn({ ...school, sent: fresh }, 'maria', 'Open the lead'))
    match(opened.text, /<h1>Ben Okafor<\/h1>/)
    school.clock.advance(10 * MINUTE + 1)
    match((await press(school, link)).text, /on its way/)
  })
})
