/** The versions of what is edited in the console. */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { onEachEngine } from '../support/engines.ts'
import { startStore } from '../support/store.ts'

const team = (name: string) => ({ counselors: [{ id: 'kim', name, email: 'kim@school.example' }] })

onEachEngine(engine => {
  test('the newest version of each part is in force, and all stay to be read', async t => {
    const { store } = await startStore(t, { engine })
    deepEqual((await store.currentEditedSettings()).versions, [])
    const by = { by: 'Dana Kim', note: 'added Kim', now: 7 }
    const save = (replaces: number, value: unknown, part = 'team') =>
      store.saveEditedSettings({ part, value, replaces, ...by })
    const first = await save(0, team('Kim'))
    const second = await save(idOf(first), team('Kim Lee'))
    await save(0, { student: [], site: [] }, 'cadence')
    const { versions: current } = await store.currentEditedSettings()
    deepEqual(current.map(({ part, value }) => [part, value]).toSorted(), [
      ['cadence', { student: [], site: [] }],
      ['team', team('Kim Lee')],
    ])
    await save(idOf(second), null)
    const versions = await store.listEditedSettings('team', { limit: 2 })
    deepEqual(
      versions.map(({ value }) => value),
      [null, team('Kim Lee')],
    )
    const older = await store.listEditedSettings('team', { before: versions[1]?.id, limit: 2 })
    deepEqual(
      older,
      [{ id: idOf(first), part: 'team', value: team('Kim'), createdAt: 7, createdBy: 'Dana Kim' }].map(one => ({
        ...one,
        note: 'added Kim',
      })),
    )
  })

  test('of several edits of one version, one is saved', async t => {
    const { store, database, clock } = await startStore(t, { engine })
    const other = await startStore(t, { database, clock })
    const save = (at: typeof store, replaces: number, name: string) =>
      at.saveEditedSettings({ part: 'team', value: team(name), replaces, by: 'Dana Kim', note: '', now: 7 })
    const outcomes = await Promise.all([save(store, 0, 'A'), save(other.store, 0, 'B'), save(store, 0, 'C')])
    equal(outcomes.filter(outcome => outcome === 'before').length, 2)
    const saved = outcomes.find(outcome => outcome !== 'before') ?? 'before'
    equal(await save(store, idOf(saved) + 999, 'D'), 'before')
    equal(await save(store, 0, 'E'), 'before')
    equal((await store.listEditedSettings('team', { limit: 9 })).length, 1)
    equal((await save(store, idOf(saved), 'F')) === 'before', false)
  })
})

function idOf(saved: { id: number } | 'before'): number {
  if (saved === 'before') throw new Error('not saved: another version was in force')
  return saved.id
}
