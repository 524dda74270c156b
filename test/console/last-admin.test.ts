/** Admins who change each other at the same moment: one of them stays an admin. */
import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { startConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'

onEachEngine(engine => {
  for (const [what, path, fields] of [
    ['take the role of each other', 'role', { role: 'viewer' }],
    ['disable each other', 'disable', { after: 'sign-in' }],
  ] as const)
    test(`of two admins who ${what} at the same moment, one stays`, async t => {
      const service = await startConsole(t, { engine })
      const [ana, ben] = [await service.client('admin'), await service.client('admin')]
      const change = (by: typeof ana, other: typeof ana) =>
        by.post(`/operators/${other.operator}/${path}`, { ...fields })
      await Promise.all([change(ana, ben), change(ben, ana)])
      const admins = (await service.app.store.listOperators()).filter(one => one.role === 'admin' && !one.disabled)
      equal(admins.length, 1)
      const entries = await service.app.store.listAudit({ limit: 10 })
      equal(entries.filter(({ action }) => /role of an operator|disabled an/.test(action)).length, 1)
    })
})
