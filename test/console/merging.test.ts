/** Merging two leads of one person in the console, through to what the emails and the links do afterward. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { sql } from '../support/engines.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const MARIA = { email: 'maria@school.example', name: 'Maria Example' }
const HOME = 'okafor@home.example'

/** A school to which Ben has written from two addresses: Maria has the first of his leads, Sam the other. */
async function aDesk(t: TestContext) {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben({ message: 'How long is the course?' }))
  await service.settle()
  service.clock.advance(HOUR)
  const home = { email: HOME, phone: '512 555 0177', message: 'And in the evening?' }
  await service.postStudent(ben({ ...home, idempotencyKey: 'from home' }))
  await service.settle()
  const { store } = service.app
  for (const [lead, owner] of [
    [1, 'maria'],
    [2, 'sam'],
  ] as const)
    await store.assignLead(lead, { owner, actor: 'test', now: service.clock.now() })
  await service.settle()
  service.sent.length = 0
  const boss = await service.client('manager')
  const fields = (text: string) =>
    Object.fromEntries(['with', 'keep', 'seen', 'seenOther'].map(name => [name, fieldOn(text, name)]))
  const compare = async () => fields((await boss.get('/leads/1/merge?with=2')).text)
  const merge = async () => boss.post('/leads/1/merge', await compare())
  return { ...service, store, boss, compare, merge }
}

test('one number that was written in two ways is shown once, before the merge and after it', async t => {
  const { boss, postStudent, settle } = await aDesk(t)
  const otherwise = { email: 'b@mail.example', phone: '(512) 555-0199', message: 'Hello?' }
  await postStudent(ben({ ...otherwise, idempotencyKey: 'otherwise' }))
  await settle()
  const sides = (await boss.get('/leads/1/merge?with=3')).text
  match(sides, /also b@mail\.example/)
  doesNotMatch(sides, /also \(512\)/)
  const fields = ['with', 'keep', 'seen', 'seenOther'].map(name => [name, fieldOn(sides, name)])
  const { text } = await boss.post('/leads/1/merge', Object.fromEntries(fields))
  match(text, /What they wrote \(2 inquiries\)/)
  doesNotMatch(text, /(also|before:)[^·]{0,40}512\) 555-0199|512\) 555-0199 <span[^>]*>\(before/)
})

test('a manager finds the other lead, sees both, merges them, and takes it back', async t => {
  const { boss, store, merge, settle, sent, postStudent } = await aDesk(t)
  match((await boss.get('/leads/1')).text, /href="\/leads\/1\/merge">Same person as&nbsp;…</)
  const choose = (await boss.get('/leads/1/merge')).text
  match(choose, /Who is the same person as Ben Okafor\?/)
  match(choose, /okafor@home\.example[\s\S]*Same name and state/)
  match((await boss.get('/leads/1/merge?q=0177')).text, /href="\/leads\/1\/merge\?with=2"/)
  match((await boss.get('/leads/1/merge?q=nobody')).text, /No other student lead matches/)
  const sides = (await boss.get('/leads/1/merge?with=2')).text
  match(sides, /Lead 1<\/a> <span class="quiet small">is kept/)
  match(sides, /ben@mail\.example<br><span class="quiet">also okafor@home\.example/)
  match(sides, /Emails go to ben@mail\.example only/)
  match(sides, /Maria Example follows up, and we tell Sam/)
  match((await boss.get('/leads/1/merge?with=2&keep=2')).text, /Emails go to okafor@home\.example only/)

  const done = await merge()
  equal(done.path, '/leads/1')
  match(done.text, /Merged: lead 2 is now part of this one\./)
  match(done.text, /also <a href="mailto:okafor@home\.example">/)
  match(done.text, /What they wrote \(2 inquiries\)/)
  match(done.text, /Merged with another lead of the same person/)
  await settle()
  deepEqual(sent.map(({ to, subject }) => `${to.address}: ${subject}`).toSorted(), [
    'maria@school.example: Ben Okafor: two leads merged',
    'sam@school.example: Ben Okafor: two leads merged',
  ])
  const toSam = sent.find(({ to }) => to.address === 'sam@school.example')
  match(toSam?.text ?? '', /Maria Example follows up, so you do not need to call/)

  const moved = await boss.get('/leads/2')
  equal(moved.path, '/leads/1')
  match(moved.text, /Lead 2 is merged into this one\./)
  doesNotMatch((await boss.get('/inbox')).text, /href="\/leads\/2"/)
  await postStudent(ben({ email: HOME, idempotencyKey: 'again from home', message: 'Hello?' }))
  await settle()
  match((await boss.get('/leads/1')).text, /What they wrote \(3 inquiries\)/)
  const logged = await store.listAudit({ limit: 10, leadId: 1 })
  equal(logged.find(({ action }) => action === 'merged')?.detail, 'lead 2')

  sent.length = 0
  const back = await boss.post('/leads/1/unmerge', { lead: '2' })
  equal(back.path, '/leads/2')
  match(back.text, /Unmerged: Ben Okafor has lead 2 again\./)
  match(back.text, /What they wrote \(2 inquiries\)/)
  equal((await store.findLead(1))?.owner, 'maria')
  await settle()
  ok(sent.some(({ to, subject }) => /sam@/.test(to.address) && /two leads unmerged/.test(subject)))
  match((await boss.post('/leads/1/unmerge', { lead: '2' })).text, /they are not merged/)
})

test('the page before a merge says whose follow-up goes on, and which stage the merged lead gets', async t => {
  const { boss, store, clock, database } = await aDesk(t)
  const effect = async () => {
    const { text } = await boss.get('/leads/1/merge?with=2&keep=1')
    return /<li>(Emails go to .*?)<\/li>/.exec(text)?.[1]
  }
  const emails = 'Emails go to ben@mail.example only.'
  equal(await effect(), `${emails} The follow-up of lead 1 continues. The follow-up of lead 2 stops.`)
  // As imported leads of people who have not asked for anything.
  await sql(database, "delete from tasks where kind = 'step' and subject = 1")
  await sql(database, 'update leads set cadence_id = null where id = 1')
  equal(await effect(), `${emails} The follow-up of lead 2 continues for lead 1.`)
  const next = (text: string) => [...text.matchAll(/<dt>Next step<\/dt><dd>(.*?)<\/dd>/g)].map(([, at]) => at)
  const [own, theirs, merged] = next((await boss.get('/leads/1/merge?with=2&keep=1')).text)
  deepEqual([own, merged], ['Nothing planned', theirs])
  const by = { actor: 'sam', now: clock.now() }
  await store.changeStage(2, { stage: 'enrolled', closedReason: null, ...by })
  equal(await effect(), `${emails} Lead 1 gets the stage Enrolled.`)
})

test('the page before a merge shows the next step as it will be, even if the merge is what begins the reminders', async t => {
  const { boss, store, merge, database } = await aDesk(t)
  // As an imported lead of someone who agreed to emails.
  await sql(database, "delete from tasks where kind = 'step' and subject = 1 and lane = 'follow-up'")
  const seen = (await boss.get('/leads/1/merge?with=2&keep=1')).text
  const nextSteps = [...seen.matchAll(/<dt>Next step<\/dt><dd>(.*?)<\/dd>/g)].map(([, at]) => at)
  ok(nextSteps[2] !== nextSteps[0])
  equal((await store.findExactLead(2))?.mergedInto, null)
  deepEqual(await store.readMergedLeads(1), [])
  await merge()
  const other = await sql(database, 'select count(*) as n from timeline where lead_id = 2')
  equal(Number(other[0]?.['n']), 0)
  const { text } = await boss.get('/leads/1')
  ok(text.includes(`${nextSteps[2]}`) || text.includes(`${nextSteps[2]}`.toLowerCase()), `${nextSteps[2]}`)
})

test('the page of a lead names others that the same phone number reaches, and says in the timeline under which lead something came', async t => {
  const { boss, client, postStudent, settle, merge } = await aDesk(t)
  doesNotMatch((await boss.get('/leads/1')).text, /The same person\?/)
  await postStudent(ben({ email: 'third@mail.example', idempotencyKey: 'third' }))
  await settle()
  match(
    (await boss.get('/leads/1')).text,
    /Same phone number as <a href="\/leads\/1\/merge\?with=3">Ben Okafor, lead 3<\/a>\. The same person\?/,
  )
  const sam = await client('counselor', { email: 'sam@school.example', name: 'Sam Example' })
  doesNotMatch((await sam.get('/leads/2')).text, /The same person\?/)
  await merge()
  match((await boss.get('/leads/1')).text, /Wrote in[\s\S]*?<span class="quiet">as lead 2<\/span>/)
})

test('a lead of an imported list that takes over someone who waits reminds its counselor and writes to them', async t => {
  const { merge, settle, clock, sent, database } = await aDesk(t)
  await sql(database, "delete from tasks where kind = 'step' and subject = 1")
  await sql(database, 'update leads set cadence_id = null where id = 1')
  await merge()
  for (let day = 0; day < 4; day++) {
    clock.advance(DAY)
    await settle()
  }
  const subjects = (address: string) => sent.filter(({ to }) => to.address === address).map(({ subject }) => subject)
  ok(subjects('maria@school.example').some(subject => /waiting|waits/i.test(subject)))
  ok(subjects('ben@mail.example').length > 0)
  equal(subjects(HOME).length, 0)
})

test('the history of each lead says once from which other it was separated, also after they were merged again', async t => {
  const { boss, merge, clock } = await aDesk(t)
  const separations = async (lead: number) => {
    const { text } = await boss.get(`/leads/${lead}`)
    return Array.from(text.matchAll(/>(Unmerged from [^<]*)<[\s\S]*?<\/li>/g), ([all, words]) => [
      words,
      /href="\/leads\/(\d)">Open lead/.exec(all)?.[1],
    ])
  }
  await merge()
  await boss.post('/leads/1/unmerge', { lead: '2' })
  deepEqual(await separations(1), [['Unmerged from lead 2 (Ben Okafor, okafor@home.example)', '2']])
  deepEqual(await separations(2), [['Unmerged from lead 1 (Ben Okafor, ben@mail.example)', '1']])
  clock.advance(HOUR)
  await merge()
  deepEqual(await separations(1), [['Unmerged from lead 2 (Ben Okafor, okafor@home.example)', undefined]])
})

test('a flash undoes a merge, and a change by someone else meanwhile stops one', async t => {
  const { boss, store, merge, compare, clock } = await aDesk(t)
  const typed = await compare()
  await store.recordCall(2, { outcome: 'no answer', note: '', actor: 'sam', now: clock.now() })
  const stale = await boss.post('/leads/1/merge', typed)
  equal(stale.status, 409)
  match(stale.text, /Someone else has changed one of these leads meanwhile/)
  const done = await merge()
  match(done.text, /class="flash"[\s\S]*action="\/leads\/1\/unmerge"[\s\S]*name="lead" value="2"/)
  match((await boss.post('/leads/2/merge', { with: '1', keep: '2' })).text, /already one lead/)
  match((await boss.post('/leads/1/unmerge', { lead: '2' })).text, /has lead 2 again/)
})

test('a lead of the team that gets the counselor of the other reaches both by email, and so does the way back', async t => {
  const { boss, store, merge, settle, sent, clock } = await aDesk(t)
  await store.assignLead(1, { owner: null, actor: 'test', now: clock.now() })
  await settle()
  sent.length = 0
  const sides = (await boss.get('/leads/1/merge?with=2')).text
  match(sides, /Sam Example follows up, and we tell the team, who had lead 1/)
  await merge()
  await settle()
  const mail = () => sent.map(({ to, text }) => [to.address, text] as const).toSorted()
  const [toTeam, toSam] = mail()
  equal(sent.length, 2)
  deepEqual([toTeam?.[0], toSam?.[0]], ['admissions@localhost', 'sam@school.example'])
  match(toTeam?.[1] ?? '', /Sam Example follows up, so you do not need to call/)
  match(toSam?.[1] ?? '', /You follow up\. Everything that they wrote/)

  sent.length = 0
  await boss.post('/leads/1/unmerge', { lead: '2' })
  await settle()
  deepEqual(
    mail().map(([to]) => to),
    ['admissions@localhost', 'sam@school.example'],
  )
  for (const [, text] of mail())
    match(text, /You follow up\. Reminders and follow-up emails that were planned for it\s+continue/)
})

test('a counselor merges leads that both are theirs, and no others', async t => {
  const { client, store, clock } = await aDesk(t)
  const maria = await client('counselor', MARIA)
  equal((await maria.get('/leads/1/merge?with=2')).status, 404)
  equal((await maria.post('/leads/1/merge', { with: '2', keep: '1' })).status, 404)
  doesNotMatch((await maria.get('/leads/1/merge')).text, /okafor@home/)
  await store.assignLead(2, { owner: null, actor: 'sam', now: clock.now() })
  equal((await maria.post('/leads/1/merge', { with: '2', keep: '1' })).status, 200)
  const viewer = await client('viewer')
  equal((await viewer.get('/leads/1/merge')).status, 403)
  equal((await viewer.post('/leads/1/unmerge', { lead: '2' })).status, 403)
})

test('an address that another lead has leads to merging the two', async t => {
  const { boss } = await aDesk(t)
  const taken = await boss.post('/leads/1/correct', { email: HOME, phone: '512-555-0199' })
  equal(taken.status, 409)
  match(taken.text, /href="\/leads\/1\/merge\?with=2">Compare and merge them</)
})
