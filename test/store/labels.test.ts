/** Tags and programs of leads: given, taken off, renamed, deleted, found, carried over and erased. */
import { deepEqual, equal } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Settings } from '../../src/config/settings.ts'
import { startApp, withoutFollowUp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'

/** The students 1 and 2. */
async function aService(t: TestContext, engine: Engine, settings: Partial<Settings> = {}) {
  const service = await startApp(t, { engine, settings: { ...withoutFollowUp, ...settings } })
  const { store } = service.app
  for (const name of ['ana', 'ben']) await service.postStudent(aStudent({ email: `${name}@mail.example` }))
  await service.settle()
  const by = () => ({ actor: 'maria', now: service.clock.now() })
  const tag = async (lead: number, name: string) => (await store.addLabel(lead, { kind: 'tag', name, ...by() })).outcome
  const tagsOf = async (lead: number) => ((await store.readLabels([lead])).get(lead) ?? []).map(({ name }) => name)
  const idOf = async (name: string) => (await store.listLabels('tag')).find(one => one.name === name)?.id ?? 0
  const found = async (...labels: number[]) =>
    (await store.listInbox({ labels }, { limit: 9 })).rows.map(({ lead }) => lead.id)
  return { ...service, store, by, tag, tagsOf, idOf, found }
}

onEachEngine(engine => {
  describe('labels', () => {
    test('are given once, whatever the capitals, and lists find leads by them', async t => {
      const { store, by, tag, tagsOf, idOf, found } = await aService(t, engine)
      equal(await tag(1, 'Evening class'), 'done')
      equal(await tag(1, 'EVENING  class'), 'before')
      equal(await tag(2, 'evening class'), 'done')
      equal(await tag(1, 'Ánimo'), 'done')
      equal(await tag(9, 'Ánimo'), 'gone')
      deepEqual(await tagsOf(1), ['Ánimo', 'Evening class'])
      deepEqual(await tagsOf(2), ['Evening class'])
      const [evening, animo] = [await idOf('Evening class'), await idOf('Ánimo')]
      deepEqual(await found(evening), [2, 1])
      deepEqual(await found(evening, animo), [1])
      deepEqual(
        (await store.listLeads({ labels: [animo], limit: 9 })).map(({ id }) => id),
        [1],
      )
      equal((await store.removeLabel(1, { labelId: evening, ...by() })).outcome, 'done')
      equal((await store.removeLabel(1, { labelId: evening, ...by() })).outcome, 'before')
      deepEqual(await found(evening), [2])
      deepEqual([...(await store.countLabeled([evening, animo], 5))].sort(), [
        [evening, 1],
        [animo, 1],
      ])
      const { timeline } = (await store.readLead(1)) ?? { timeline: [] }
      deepEqual(
        timeline.slice(-3).map(({ kind, detail, actor }) => [kind, detail, actor]),
        [
          ['labeled', 'tag: Evening class', 'maria'],
          ['labeled', 'tag: Ánimo', 'maria'],
          ['unlabeled', 'tag: Evening class', 'maria'],
        ],
      )
    })

    test('a tag and a program of the same name are two labels', async t => {
      const { store, by, tag } = await aService(t, engine)
      await tag(1, 'Welding')
      equal((await store.addLabel(1, { kind: 'program', name: 'Welding', ...by() })).outcome, 'done')
      equal((await store.listLabels('program')).length, 1)
    })

    test('are renamed and deleted for all leads, tags alone', async t => {
      const { store, by, tag, tagsOf, idOf, found } = await aService(t, engine)
      await tag(1, 'fair')
      await tag(2, 'fair')
      await tag(2, 'night')
      const fair = await idOf('fair')
      equal(await store.renameTag(fair, 'Night'), 'taken')
      equal(await store.renameTag(fair, 'Fair'), 'done')
      deepEqual(await tagsOf(1), ['Fair'])
      deepEqual(await found(fair), [2, 1])
      equal(await store.deleteTag(fair), true)
      equal(await store.deleteTag(fair), false)
      equal(await store.renameTag(fair, 'gone'), 'gone')
      deepEqual(await tagsOf(2), ['night'])
      await store.addLabel(1, { kind: 'program', name: 'Welding', ...by() })
      const [program] = await store.listLabels('program')
      equal(await store.deleteTag(program?.id ?? 0), false)
    })

    test('that people name when they write are given once, and found, up to the most that a lead has', async t => {
      const { store, tag, settle, postStudent } = await aService(t, engine, {
        programs: [{ name: 'Welding' }, { name: 'Piano' }],
      })
      const programsOf = async (lead: number) =>
        ((await store.readLabels([lead])).get(lead) ?? [])
          .filter(({ kind }) => kind === 'program')
          .map(({ name }) => name)
      for (let n = 1; n < 30; n++) await tag(2, `tag ${n}`)
      const write = (name: string, message: string) => postStudent(aStudent({ email: `${name}@mail.example`, message }))
      await write('ana', 'Welding, or piano?')
      await write('ben', 'Piano and welding')
      await write('cleo', 'piano')
      await write('ana', 'WELDING!')
      await settle()
      deepEqual(await programsOf(1), ['Piano', 'Welding'])
      equal((await programsOf(2)).length, 1)
      deepEqual(await programsOf(5), ['Piano'])
      const programs = await store.listLabels('program')
      for (const { id, name } of programs) {
        const { rows } = await store.listInbox({ labels: [id] }, { limit: 9 })
        for (const { lead } of rows) equal((await programsOf(lead.id)).includes(name), true)
        equal((await store.countLabeled([id], 9)).get(id), rows.length)
      }
      equal((await store.readLabels([2])).get(2)?.length, 30)
    })

    test('are erased with the person, and so is a tag that no one else has', async t => {
      const { store, tag, clock } = await aService(t, engine)
      await tag(1, 'fair')
      await tag(2, 'fair')
      await tag(1, 'cousin of Ben')
      await store.erasePerson('ana@mail.example', {
        addressHash: 'hash',
        askedBy: 'Ana',
        reason: 'asked',
        now: clock.now(),
      })
      deepEqual(await store.listLabels('tag').then(tags => tags.map(({ name }) => name)), ['fair'])
    })
  })
})
