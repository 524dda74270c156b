/** The table of store methods is made of one for each area. */
import { deepEqual } from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { storeMethods } from '../../src/store/store-methods.ts'

test('each store method stands in one area, so that none takes the place of another', async () => {
  const areas = globSync('src/store/*/methods.ts')
  const tables = await Promise.all(areas.map(file => import(`../../${file}`)))
  const names = tables.flatMap(table => Object.keys(table))
  deepEqual(names.toSorted(), Object.keys(storeMethods).toSorted())
})
