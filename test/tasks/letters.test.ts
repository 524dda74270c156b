import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY } from '../../src/platform/time.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, ben, isLetter, MONDAY, type School, startSchool } from './school.ts'

const away = (id: string) => ({ counselor: id, firstDay: '2026-11-01', lastDay: '2026-12-24' })

/** The address for replies and the counselor named, for each follow-up email so far. */
const lettersOf = ({ sent }: School) =>
  sent.filter(isLetter).map(({ replyTo, text }) => [replyTo?.address, /Maria|Sam/.exec(text)?.[0]].join(', names '))

onEachEngine(engine => {
  test('the messages about one lead to one person are one thread, and no other is in it', async t => {
    const school = await startSchool(t, { engine })
    await school.postStudent(ben())
    await school.until(MONDAY + 2 * DAY)
    await school.postStudent(ben({ email: 'ana@home.example', idempotencyKey: 'second-person' }))
    await school.settle()
    const threads = new Map<string, Set<string | undefined>>()
    for (const { to, text, thread } of school.sent) {
      const about = `${/ana@home/.test(`${text} ${to.address}`) ? 'Ana' : 'Ben'} to ${to.address}`
      threads.set(about, (threads.get(about) ?? new Set()).add(thread))
    }
    ok(threads.size >= 4, [...threads.keys()].join())
    for (const [about, ids] of threads) equal(ids.size, 1, about)
    const roots = [...threads.values()].flatMap(ids => [...ids])
    equal(new Set(roots).size, threads.size)
    ok(roots.every(root => /^thread\.\d+\.[0-9a-f]{24}@/.test(root ?? '')))
  })

  describe('a reply to a follow-up email, without a watched mailbox,', () => {
    test('goes to the counselor', async t => {
      const school = await startSchool(t, { engine })
      await school.postStudent(ben())
      await school.until(MONDAY + 2 * DAY)
      deepEqual(lettersOf(school), ['maria@school.example, names Maria'])
      const receipt = school.sent.find(({ id }) => id.startsWith('receipt'))
      equal(receipt?.replyTo?.address, 'maria@school.example')
    })

    test('goes to the backup while the counselor is away, although the email names the counselor', async t => {
      const school = await startSchool(t, { engine })
      await school.postStudent(ben())
      await school.settle()
      await school.app.store.addAbsence(away('maria'))
      await school.until(MONDAY + 2 * DAY)
      deepEqual(lettersOf(school), ['sam@school.example, names Maria'])
    })

    test('goes to the team while both are away, or while the lead has no counselor', async t => {
      const school = await startSchool(t, { engine })
      await school.postStudent(ben())
      await school.settle()
      await school.app.store.addAbsence(away('maria'))
      await school.app.store.addAbsence(away('sam'))
      await school.until(MONDAY + 2 * DAY)
      deepEqual(lettersOf(school), ['admissions@localhost, names Maria'])

      const alone = await startSchool(t, { engine, settings: { ...aSchool, admissions: {} } })
      await alone.postStudent(ben())
      await alone.until(MONDAY + 2 * DAY)
      deepEqual(lettersOf(alone), ['admissions@localhost, names '])
    })
  })
})
