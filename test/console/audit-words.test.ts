/** The audit log as a manager reads it: sentences with links and the names that things have now. */
import { deepEqual, doesNotMatch, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

/** Ben and Zoe have written, and an admin is signed in. */
async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings: aSchool, edits: true, clock: testClock(MONDAY) })
  await service.postStudent(ben())
  await service.postStudent(ben({ email: 'zoe@mail.example', firstName: 'Zoe' }))
  await service.settle()
  const admin = await service.client('admin', { name: 'Dana Kim' })
  /** What the newest entries say, the latest first. */
  const log = async (count: number) => {
    const { text } = await admin.get('/audit?what=without-opened')
    return [...text.matchAll(/<tr><td class="number">.*?<\/td><td>.*?<\/td><td>(.*?)<\/td>/gs)]
      .slice(0, count)
      .map(([, what = '']) => readable(what).trim())
  }
  return { ...service, store: service.app.store, admin, log }
}

onEachEngine(engine => {
  test('says what was done to a lead, and names the tag as it is called now', async t => {
    const { admin, log, store } = await aDesk(t, engine)
    await admin.post('/leads/1', { do: 'tag', tag: 'Fair' })
    await admin.post('/leads/2', { do: 'tag', tag: 'fair' })
    const [tag] = await store.listLabels('tag')
    await admin.post('/leads/1', { do: 'remove label', label: String(tag?.id), name: 'Fair' })
    await admin.post('/leads/1', { do: 'stage', stage: 'contacted' })
    await admin.post('/board/move', { lead: '2', to: 'qualified', back: '/board' })
    await admin.post('/leads/1', { do: 'close', reason: 'not interested' })
    deepEqual(await log(6), [
      'closed lead 1 (not interested)',
      'moved lead 2 to qualified',
      'moved lead 1 to reached',
      'removed the tag “Fair” from lead 1',
      'added the tag “Fair” to lead 2',
      'added the tag “Fair” to lead 1',
    ])
    await admin.post(`/tags/${tag?.id}`, { name: 'Spring fair' })
    deepEqual((await log(4)).slice(0, 1), ['renamed the tag “Spring fair”'])
    doesNotMatch(JSON.stringify(await store.listAudit({ limit: 20 })), /fair/i)
    await admin.post(`/tags/${tag?.id}/delete`)
    deepEqual(await log(1), [`deleted tag ${tag?.id}`])
  })

  test('says the same of leads that were changed in the inbox, and of merged ones', async t => {
    const { admin, log } = await aDesk(t, engine)
    const form = new URLSearchParams({ do: 'tag', tag: 'Fair', lead: '1' })
    form.append('lead', '2')
    await admin.post('/inbox/actions', form)
    deepEqual(await log(2), ['added the tag “Fair” to lead 2', 'added the tag “Fair” to lead 1'])
    const { text } = await admin.get('/leads/1/merge?with=2')
    const fields = ['with', 'keep', 'seen', 'seenOther'].map(name => [name, fieldOn(text, name)])
    await admin.post('/leads/1/merge', Object.fromEntries(fields))
    const kept = fieldOn(text, 'keep')
    const other = kept === '1' ? '2' : '1'
    await admin.post(`/leads/${kept}/unmerge`, { lead: other })
    deepEqual(await log(2), [`unmerged lead ${other} from lead ${kept}`, `merged lead ${other} into lead ${kept}`])
  })

  test('says which leads went with a person who was erased, how leads were handed over, and writes days out', async t => {
    const { admin, log, store, clock } = await aDesk(t, engine)
    await store.assignLead(1, { owner: 'maria', actor: 'test', now: clock.now() })
    const open = await store.findLead(2)
    if (open?.owner !== 'maria') await store.assignLead(2, { owner: 'maria', actor: 'test', now: clock.now() })
    const page = '/team/people/maria/hand-over'
    const version = fieldOn((await admin.get(page)).text, 'version')
    await admin.post(page, { version, to: 'one', person: 'sam' })
    await admin.post('/team/hand-overs/1/undo')
    await admin.post('/team/absences', { counselor: 'sam', from: '2026-12-24', to: '2026-12-28' })
    await admin.post('/account/notifications', { email: 'daily', quietFrom: '20', quietTo: '8' })
    const erasing = { reason: 'asked', address: 'zoe@mail.example' }
    await admin.post('/privacy/people/2/erase', erasing)
    const [erased, ...others] = await log(5)
    match(erased ?? '', /^erased the person of lead 2/)
    deepEqual(others, [
      'chose one email a day',
      'recorded an absence Sam Example, December 24, 2026 to December 28, 2026',
      'undid the hand-over of the leads of Maria Example',
      'handed over all 2 leads of Maria Example',
    ])
    doesNotMatch(readable((await admin.get('/audit')).text), /Zoe|zoe@/)
  })
})
