import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import { type SimulationOptions, simulate } from '../../src/follow-up/simulate.ts'

const counselor = (id: string, over: Record<string, unknown> = {}) => ({
  id,
  name: id,
  email: `${id}@school.example` as never,
  ...over,
})
const school = { postalAddress: '100 Main Street, Springfield' }

const month = (settings: PartialSettings, over: Partial<SimulationOptions> = {}) => {
  const { settings: checked, problems } = checkSettings({ school, ...settings })
  deepEqual(problems, [])
  return simulate({
    settings: checked,
    leads: 200,
    days: 30,
    firstDay: '2026-11-21',
    seed: 1,
    away: () => new Set(),
    ...over,
  })
}
const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)

describe('a simulated month', () => {
  test('is the same for the same seed, and different for another', () => {
    deepEqual(month({}), month({}))
    notDeepEqual(month({}), month({}, { seed: 2 }))
  })

  test('accounts for every student and every message', () => {
    const counselors = [counselor('ana', { backup: 'bob' }), counselor('bob')]
    const manager = { name: 'Dana', email: 'dana@school.example' as never }
    const { load, ends, messages, letters, attempt, contact } = month({ admissions: { counselors, manager } })
    equal(sum(load.map(({ leads }) => leads)), 200)
    equal(sum(Object.values(ends)), 200)
    equal(sum(Object.values(letters.skipped)) + letters.sent, 3 * 200)
    const { all, ...others } = messages
    equal(sum(Object.values(others).map(({ total }) => total)), all.total)
    equal(messages.student.total, 200 + letters.sent)
    for (const { min, median, max } of Object.values(messages)) ok(min <= median && median <= max)
    equal(contact.wall.count, ends['contacted'])
    ok(attempt.working.count >= contact.working.count)
    ok((attempt.working.p50 ?? 0) < (attempt.wall.p50 ?? 0))
  })

  test('assigns students to counselors by their weights', () => {
    const counselors = [counselor('ana', { weight: 3 }), counselor('bob')]
    deepEqual(month({ admissions: { counselors } }).load, [
      { counselor: 'ana', leads: 150, share: 0.75 },
      { counselor: 'bob', leads: 50, share: 0.25 },
      { counselor: null, leads: 0, share: 0 },
    ])
  })

  test('assigns no students to counselors who are away, and all to the team if there are no counselors', () => {
    const admissions = { counselors: [counselor('ana'), counselor('bob')] }
    const { load } = month({ admissions }, { away: () => new Set(['bob']) })
    deepEqual(
      load.map(({ leads }) => leads),
      [200, 0, 0],
    )
    const { load: own, messages } = month({})
    deepEqual(own, [{ counselor: null, leads: 200, share: 0 }])
    deepEqual([messages.counselor.total, messages.backup.total, messages.manager.total], [0, 0, 0])
  })

  test('sends no follow-up emails without a postal address', () => {
    const { letters, messages } = month({ school: {} })
    equal(letters.sent, 0)
    equal(messages.student.total, 200)
    ok('the settings have no postal address' in letters.skipped)
  })

  test('has only the immediate messages if the cadence is empty', () => {
    const { messages, letters, ends } = month({ followUp: { student: [] } })
    equal(messages.all.total, 400)
    deepEqual(letters, { sent: 0, skipped: {} })
    deepEqual(Object.keys(ends).sort(), ['contacted', 'new'])
  })

  test('says at which hours the cadence sends, and when it closes leads', () => {
    const { hours, letters, reminders, closed, ends } = month({})
    equal(sum(hours.letters), letters.sent)
    deepEqual(
      hours.letters.filter((count, hour) => count > 0 && (hour < 9 || hour >= 20)),
      [],
      'no email in the quiet hours, wherever the student is',
    )
    equal(sum(hours.reminders), reminders.total)
    deepEqual(
      hours.reminders.filter((count, hour) => count > 0 && (hour < 9 || hour > 17)),
      [],
    )
    equal(closed.leads, 200 - (ends['contacted'] ?? 0))
    ok(closed.days !== null && closed.days >= 14 && closed.days <= 20)
  })

  test('differs between two cadences only in what they do: the same people write, and reply to the same emails', () => {
    const student = defaultSettings.followUp.student.filter(({ name }) => name !== 'day-7')
    const [all, fewer] = [month({}), month({ followUp: { student } })]
    deepEqual(fewer.load, all.load)
    deepEqual(fewer.reminders, all.reminders)
    ok(fewer.letters.sent < all.letters.sent)
    ok((fewer.ends['contacted'] ?? 0) <= (all.ends['contacted'] ?? 0))
  })

  test('of sites sends them nothing, and reminds the team', () => {
    const counselors = [counselor('ana')]
    const { messages, letters, ends, reminders } = month({ admissions: { counselors } }, { kind: 'site' })
    equal(messages.student.total, 0)
    equal(messages.team.total, 200 + reminders.total)
    ok(reminders.total > 0)
    deepEqual(letters, { sent: 0, skipped: {} })
    deepEqual(Object.keys(ends).sort(), ['contacted', 'new'])
  })
})
