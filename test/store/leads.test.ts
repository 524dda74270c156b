import { deepEqual, equal } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { LeadFilter } from '../../src/store/lookup/list-leads.ts'
import type { Store } from '../../src/store/store.ts'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'

/** Leads by id, of both kinds in turn: 3 and 4 are the newest, 5 and 6 came in between. */
const made: Record<number, number> = { 1: 100, 2: 100, 3: 300, 4: 300, 5: 200, 6: 200 }

async function storeWithLeads(t: TestContext, engine: Engine): Promise<Store> {
  const service = await startApp(t, { engine })
  for (let i = 0; i < 3; i++) {
    await service.postSite(aSite({ email: `ana.${i}@mercy.example` }))
    await service.postStudent(aStudent({ email: `ben.${i}@mail.example` }))
  }
  await service.settle()
  for (const [id, at] of Object.entries(made))
    await sql(service.database, `update leads set created_at = ${at} where id = ${id}`)
  await sql(service.database, `update leads set stage = 'contacted' where id in (1, 3, 5, 6)`)
  return service.app.store
}

/** The ids of all pages of two. */
async function pagesOf(store: Store, filter: LeadFilter): Promise<number[]> {
  const ids: number[] = []
  for (;;) {
    const page = await store.listLeads({ ...filter, before: ids.at(-1), limit: 2 })
    ids.push(...page.map(lead => lead.id))
    if (page.length < 2) return ids
  }
}

onEachEngine(engine => {
  describe('listing leads', () => {
    test('has each that matches once, page by page, the newest first, and those of one moment by id', async t => {
      const store = await storeWithLeads(t, engine)
      const expected: [LeadFilter, number[]][] = [
        [{}, [4, 3, 6, 5, 2, 1]],
        [{ kind: 'site' }, [3, 5, 1]],
        [{ stage: 'contacted' }, [3, 6, 5, 1]],
        [{ kind: 'student', stage: 'contacted' }, [6]],
        [{ since: 200 }, [4, 3, 6, 5]],
        [{ until: 300 }, [6, 5, 2, 1]],
        [{ kind: 'student', since: 101, until: 300 }, [6]],
        [{ stage: 'contacted', until: 300 }, [6, 5, 1]],
      ]
      for (const [filter, ids] of expected) deepEqual(await pagesOf(store, filter), ids)
    })

    test('finds none before a lead that does not exist', async t => {
      const store = await storeWithLeads(t, engine)
      equal((await store.listLeads({ before: 99, limit: 2 })).length, 0)
    })
  })

  describe('the history of a lead', () => {
    test('comes in pages of at most 100 entries and 20 submissions, each once, with what they wrote', async t => {
      const service = await startApp(t, { engine })
      const { store } = service.app
      await service.postSite(aSite())
      await service.settle()
      for (let i = 2; i <= 30; i++) {
        await sql(
          service.database,
          `insert into submissions (kind, received_at, key, fingerprint, email, answer, body, client_address)
             select kind, received_at, 'copy ${i}', fingerprint, email, answer, body, client_address
             from submissions where id = 1`,
        )
        await sql(
          service.database,
          `insert into timeline (lead_id, at, kind, submission_id, detail) values (1, 1, 'submission', ${i}, '')`,
        )
      }
      for (let i = 0; i < 120; i++)
        await sql(service.database, `insert into timeline (lead_id, at, kind, detail) values (1, 1, 'note', 'a note')`)
      const entries: number[] = []
      const wrote: number[][] = []
      let before: number | undefined
      do {
        const page = await store.readLead(1, { before })
        equal((page?.timeline.length ?? 0) <= 100, true)
        entries.unshift(...(page?.timeline.map(({ id }) => id) ?? []))
        wrote.push(page?.submissions.map(({ id }) => id) ?? [])
        before = page?.older ?? undefined
      } while (before !== undefined)
      deepEqual(
        entries,
        (await sql(service.database, 'select id from timeline order by id')).map(({ id }) => Number(id)),
      )
      const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
      // A page of notes alone shows the latest that they wrote before it.
      deepEqual(wrote, [[30], ids(11, 30), ids(1, 10)])
      equal((await store.readLead(1, { before: 1 }))?.timeline.length, 0)
      equal(await store.readLead(99), undefined)
    })
  })
})
