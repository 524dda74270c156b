/** Erasing one of two people whose leads were merged by mistake and unmerged: the other keeps nothing of them. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { onEachEngine } from '../support/engines.ts'
import { asked } from '../support/store.ts'
import { EMAILS, mergeDesk } from './merge-desk.ts'
import { wholeDatabase } from './whole-database.ts'

const [ANA = '', EVA = '', ZOE = ''] = EMAILS
const TRACES = { [ANA]: /ana@work|5550100|Stone/i, [EVA]: /ruiz@home|5550199|Canaryson/i }

onEachEngine(engine => {
  /** Leads 1 and 2 of two people with different names and numbers, merged and unmerged. */
  async function unmerged(t: Parameters<typeof mergeDesk>[0]) {
    const desk = await mergeDesk(t, engine)
    await desk.write({ lastName: 'Stone' })
    await desk.write({ email: EVA, lastName: 'Canaryson', phone: '+15125550199' })
    equal(await desk.merge(1, 2), 'done')
    equal(await desk.unmerge(2), 'done')
    const left = async (traces: RegExp | undefined) =>
      Object.entries(await wholeDatabase(desk.database)).flatMap(([table, rows]) =>
        rows.filter(row => traces?.test(row)).map(row => `${table} ${row}`),
      )
    const erase = (email: string) =>
      desk.store.erasePerson(email, { ...asked, addressHash: undefined, now: desk.clock.now() })
    return { ...desk, left, erase }
  }

  describe('erasing a person whose lead was unmerged', () => {
    test('leaves nothing of them with the other lead, whichever of the two was kept', async t => {
      for (const [email, erased, other] of [
        [EVA, 2, 1],
        [ANA, 1, 2],
      ] as const) {
        const { store, left, erase } = await unmerged(t)
        ok((await left(TRACES[email])).some(row => row.startsWith('timeline')))
        const { leads, messages } = await erase(email)
        equal(leads, 1)
        deepEqual(await left(TRACES[email]), [])
        const about = (await store.readLead(other))?.timeline.filter(({ kind }) => kind.endsWith('merged'))
        deepEqual(
          about?.map(({ kind, detail, was }) => [kind, detail, was]),
          [
            ...(other === 1 ? [['merged', `Lead ${erased} (erased)`, null]] : []),
            ['unmerged', `Lead ${erased} (erased)`, null],
          ],
        )
        const told = messages.filter(({ kind }) => kind === 'news').map(({ subject }) => subject)
        ok(
          about?.every(({ id }) => told.includes(id)),
          'and captured emails about it go, too',
        )
      }
    })

    test('leaves nothing of them with a third lead that the other was merged into', async t => {
      const { write, merge, unmerge, left, erase } = await unmerged(t)
      await write({ email: ZOE, phone: '+15125550101' })
      equal(await merge(3, 1), 'done')
      await erase(EVA)
      deepEqual(await left(TRACES[EVA]), [])
      equal(await unmerge(1), 'done')
    })
  })

  test('what is stored of a person, for an export, leaves out a person whose lead was unmerged', async t => {
    const { store, write, merge } = await unmerged(t)
    await write({ email: ZOE, phone: '+15125550101' })
    equal(await merge(1, 3), 'done')
    const entriesOf = async (id: number) => JSON.stringify(await store.readPersonEntries(id, { after: 0, limit: 100 }))
    const [ana, eva] = [await entriesOf(1), await entriesOf(2)]
    ok(!TRACES[EVA]?.test(ana), ana)
    ok(!TRACES[ANA]?.test(eva), eva)
    ok(ana.includes('Lead 2') && eva.includes('Lead 1'))
    ok(ana.includes(ZOE), 'a merge that stands is with the same person')
  })
})
