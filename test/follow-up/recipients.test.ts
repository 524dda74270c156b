import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { holderOf } from '../../src/follow-up/recipients.ts'

const maria = { id: 'maria', backup: 'sam' }
const here = () => true
const without = (gone: string) => (id: string) => id !== gone
const roles = ['counselor', 'backup', 'manager', 'team'] as const
const holders = (staff: Parameters<typeof holderOf>[1]) =>
  roles.map(role => {
    const holder = holderOf(role, staff)
    return holder && ('id' in holder ? holder.id : holder.as)
  })

describe('a message to the staff goes', () => {
  test('to each holder of a role', () => {
    const staff = { owner: maria, present: here, manager: true }
    deepEqual(holders(staff), ['maria', 'sam', 'manager', 'team'])
  })

  test('to the backup of a counselor who is away, and then not to the backup again', () => {
    const staff = { owner: maria, present: without('maria'), manager: true }
    deepEqual(holders(staff), ['sam', 'team', 'manager', 'team'])
  })

  test('to the team if there is no backup, or no manager', () => {
    const alone = { owner: { id: 'maria' }, present: here, manager: false }
    deepEqual(holders(alone), ['maria', 'team', 'team', 'team'])
    const staff = { owner: maria, present: without('sam'), manager: true }
    deepEqual(holders(staff), ['maria', 'team', 'manager', 'team'])
  })

  test('to the team in the place of a manager who is away, also about a lead of the manager', () => {
    const owner = { id: 'manager', isManager: true }
    deepEqual(holders({ owner, present: here, manager: true }), ['manager', 'team', 'team', 'team'])
    deepEqual(holders({ owner, present: here, manager: false }), ['team', 'team', 'team', 'team'])
  })

  test('to the team if no one owns the lead, but not twice', () => {
    const staff = { owner: undefined, present: here, manager: false }
    deepEqual(holders(staff), ['team', undefined, 'team', 'team'])
  })
})
