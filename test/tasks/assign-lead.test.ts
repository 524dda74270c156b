/** Handing leads over, by links and by commands, in the whole service: who is told, and what follows. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSite } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, ben, counselors, linkIn, MONDAY, readLead, type School, startSchool } from './school.ts'

const settings = { ...aSchool, school: { ...aSchool.school, name: 'Northside' } }

onEachEngine(engine => {
  describe('a lead that is handed over', () => {
    test('from the manager’s message: the chosen one is told, and so is the one before', async t => {
      const school = await startSchool(t, { engine, settings })
      await school.postStudent(ben())
      await school.until('11-23 17:35')
      const url = linkIn(school, 'dana', 'Assign')
      const page = await school.request(url)
      match(page.text, /<option value="sam">Sam Example<\/option>/)
      match(page.text, /<option value="manager" selected>Dana Example \(manager\)<\/option>/)
      const { text } = await post(school, url, { counselor: 'sam' })
      match(text, /Recorded as done by Dana Example/)
      await school.settle()
      const [toSam, toMaria] = newsOf(school)
      equal(toSam?.to.address, 'sam@school.example')
      equal(toSam?.subject, 'Assigned to you: Ben Okafor, waiting since today, 11:30 AM')
      const words = toSam?.text.replace(/\s+/g, ' ') ?? ''
      match(words, /was assigned to you by Dana Example\. It was with Maria Example before\./)
      match(words, /we have sent 3 reminders so far\. .*No one has tried to reach them yet\./)
      equal(toMaria?.to.address, 'maria@school.example')
      equal(toMaria?.subject, 'Ben Okafor is now with Sam Example')
      // Her links to this lead have ended.
      doesNotMatch(toMaria?.text ?? '', /\/act\//)
      equal(newsOf(school).length, 2)
      deepEqual(assignments(await readLead(school)).at(-1), 'sam by manager')
    })

    test('after the last reminder gets reminders again, for the new owner', async t => {
      const school = await startSchool(t, { engine, settings })
      await school.postStudent(ben())
      await school.until('11-23 17:35')
      await post(school, linkIn(school, 'dana', 'Assign'), { counselor: 'sam' })
      const before = school.diary().length
      await school.until('11-23 18:40')
      deepEqual(school.diary().slice(before + 2), [
        '11-23 17:40 sam step.1.0',
        '11-23 17:50 admissions step.1.1',
        '11-23 18:35 dana step.1.2',
      ])
    })

    test('to the person who chooses themselves: only the one before is told', async t => {
      const school = await startSchool(t, { engine, settings })
      await school.postStudent(ben())
      await school.until('11-23 17:35')
      await post(school, linkIn(school, 'dana', 'Assign'), { counselor: 'manager' })
      await school.settle()
      deepEqual(
        newsOf(school).map(({ to, subject }) => [to.address, subject]),
        [['maria@school.example', 'Ben Okafor is now with Dana Example']],
      )
      equal((await readLead(school)).lead.owner, 'manager')
      // The manager is reminded like a counselor; the warning for the manager goes to the team.
      const before = school.diary().length
      await school.until('11-23 18:40')
      deepEqual(school.diary().slice(before), [
        '11-23 17:40 dana step.1.0',
        '11-23 17:50 admissions step.1.1',
        '11-23 18:35 admissions step.1.2',
      ])
      const { lead } = await readLead(school)
      equal(lead.owner, 'manager')
    })

    test('back to the team: the team is told', async t => {
      const school = await startSchool(t, { engine, settings })
      await school.postStudent(ben())
      await school.until('11-23 16:40')
      await post(school, linkIn(school, 'maria', 'Assign'), { counselor: 'team' })
      await school.settle()
      const [only, ...others] = newsOf(school)
      deepEqual([only?.to.address, others.length], ['admissions@localhost', 0])
      match(only?.subject ?? '', /^Assigned to the team: Ben Okafor/)
      equal((await readLead(school)).lead.owner, null)
    })

    test('to someone who is away until another year says which year', async t => {
      const school = await startSchool(t, { engine, settings })
      await school.postStudent(ben())
      await school.until('11-23 17:35')
      await school.app.store.addAbsence({ counselor: 'sam', firstDay: '2026-11-23', lastDay: '2027-12-03' })
      const url = linkIn(school, 'dana', 'Assign')
      match((await school.request(url)).text, />Sam Example \(away until December 3, 2027\)</)
      const { text } = await post(school, url, { counselor: 'sam' })
      match(text, /away until December 3, 2027, so Northside Admissions gets the messages until then/)
      await school.settle()
      const texts = newsOf(school).map(({ text }) => text.replace(/\s+/g, ' '))
      ok(texts.some(text => text.includes('because Sam Example is away until December 3, 2027.')))
    })

    test('to someone who is away is marked, and the one who stands in is told as well', async t => {
      const school = await startSchool(t, { engine, settings })
      await school.postStudent(ben())
      await school.until('11-23 17:35')
      const days = { firstDay: '2026-11-23', lastDay: '2026-12-03' }
      await school.app.store.addAbsence({ counselor: 'sam', ...days })
      const url = linkIn(school, 'dana', 'Assign')
      match((await school.request(url)).text, />Sam Example \(away until December 3\)</)
      const { text } = await post(school, url, { counselor: 'sam' })
      match(text, /away until December 3, so Northside Admissions gets the messages until then/)
      await school.settle()
      deepEqual(
        newsOf(school).map(({ to, subject }) => [to.address.split('@')[0], subject.slice(0, 18)]),
        [
          ['sam', 'Assigned to you: B'],
          ['maria', 'Ben Okafor is now '],
          ['admissions', 'Assigned to Sam Ex'],
        ],
      )
      match(newsOf(school)[2]?.text ?? '', /because\s+Sam\s+Example\s+is\s+away\s+until\s+December\s+3/)
    })

    test('after a merge tells the former counselor, without what they may no longer see', async t => {
      const school = await startSchool(t, { engine, settings })
      const { store } = school.app
      await school.postStudent(ben())
      await school.postStudent(ben({ email: 'ben.two@mail.example', phone: '512-555-0177' }))
      await school.settle()
      const by = () => ({ actor: 'manager', now: school.clock.now() })
      await store.assignLead(1, { owner: 'maria', ...by() })
      await store.assignLead(2, { owner: 'sam', ...by() })
      await school.settle()
      equal((await store.mergeLeads(1, { other: 2, ...by() })).outcome, 'done')
      await school.settle()
      const merged = school.sent.filter(({ subject }) => subject === 'Ben Okafor: two leads merged')
      const [toMaria, toSam] = ['maria', 'sam'].map(who => merged.find(({ to }) => to.address.startsWith(who)))
      match(toMaria?.text ?? '', /\/act\//)
      match(toSam?.text.replace(/\s+/g, ' ') ?? '', /Maria Example follows up, so you do not need to call\. If you/)
      doesNotMatch(toSam?.text ?? '', /\/act\/|tel:|555-0123/)
    })

    test('twice in a row tells no one who no longer has it', async t => {
      const school = await startSchool(t, { engine, settings })
      const { store } = school.app
      await school.postStudent(ben())
      await school.settle()
      await store.assignLead(1, { owner: 'sam', actor: 'manager', now: MONDAY })
      await store.assignLead(1, { owner: 'maria', actor: 'manager', now: MONDAY })
      await school.settle()
      // Maria has it as before; Sam, who has not read anything yet, has it no longer.
      deepEqual(
        newsOf(school).map(({ to, subject }) => [to.address.split('@')[0], subject]),
        [
          ['maria', 'Assigned to you: Ben Okafor, waiting since today, 11:30 AM'],
          ['sam', 'Ben Okafor is now with Maria Example'],
        ],
      )
    })
  })

  describe('a site', () => {
    test('can be given to a counselor, who then gets its messages; the last reminder goes to the team', async t => {
      const school = await startSchool(t, { engine, settings })
      await school.postSite(aSite({ email: 'ana@mercy.example' }))
      await school.until('11-23 17:00')
      const url = linkIn(school, 'partnerships', 'Assign')
      const form = { counselor: 'sam', actor: 'maria' }
      match((await post(school, url, form)).text, /Recorded as done by Maria Example/)
      await school.settle()
      deepEqual(
        newsOf(school).map(({ to, subject }) => [to.address.split('@')[0], subject]),
        [
          ['sam', 'Assigned to you: Ana Ruiz, waiting since today, 11:30 AM'],
          ['partnerships', 'Ana Ruiz is now with Sam Example'],
        ],
      )
      const before = school.diary().length
      await school.until('12-01 00:00')
      deepEqual(school.diary().slice(before), ['11-24 17:00 sam step.1.0', '11-26 17:00 partnerships step.1.1'])
      await school.postSite(aSite({ email: 'ana@mercy.example', message: 'Did you get it?' }))
      await school.settle()
      equal(school.sent.at(-1)?.to.address, 'sam@school.example')
    })

    test('goes back to the team while its owner is away', async t => {
      const school = await startSchool(t, { engine, settings })
      await school.postSite(aSite())
      await school.settle()
      await school.app.store.assignLead(1, { owner: 'sam', actor: 'sam', now: MONDAY })
      const days = { firstDay: '2026-11-24', lastDay: '2026-11-24' }
      await school.app.store.addAbsence({ counselor: 'sam', ...days })
      await school.until('11-24 17:00')
      equal(school.diary().at(-1), '11-24 16:30 partnerships step.1.0')
    })
  })
})

test('a lead of someone who is no longer on the staff is reported to others', async t => {
  const before = await startSchool(t, { settings })
  await before.postStudent(ben())
  await before.settle()
  await before.app.store.assignLead(1, { owner: 'manager', actor: null, now: MONDAY })
  await before.close()
  const { database, dataDir, clock } = before
  const left = { ...settings, admissions: { counselors } }
  const school = await startSchool(t, { settings: left, database, dataDir, clock })
  await school.until(MONDAY + 60 * 60_000)
  const steps = school.diary().filter(line => line.includes('step'))
  deepEqual(steps, ['11-23 16:35 admissions step.1.0', '11-23 17:30 admissions step.1.2'])
  const words = school.sent.find(({ id }) => id.startsWith('step'))?.text ?? ''
  match(words, /Counselor: manager \(has left the team\)/)
  doesNotMatch(words, /null|undefined/)
})

/** The emails about hand-overs, in the order of the people that they go to. */
const newsOf = ({ sent }: School) =>
  sent.filter(({ id }) => id.startsWith('news')).toSorted((one, other) => (one.id < other.id ? -1 : 1))

const assignments = ({ timeline }: Awaited<ReturnType<typeof readLead>>) =>
  timeline.filter(({ kind }) => kind === 'assigned').map(({ detail, actor }) => `${detail} by ${actor}`)

const post = (school: School, url: string, form: Record<string, string>) =>
  school.request(url, { method: 'POST', body: new URLSearchParams(form) })
