import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assign, type Counselor } from '../../src/follow-up/assignment.ts'

const counselor = (id: string, weight: number, ...states: string[]): Counselor => ({
  id,
  weight,
  states,
  programs: [],
  campuses: [],
  languages: [],
})

/** An office that remembers the turns, as the database will. */
function office(counselors: readonly Counselor[]) {
  const turns = new Map<string, number>()
  const absent = new Set<string>()
  return {
    turns,
    absent,
    assign(
      state: string | null = null,
      language: string | null = null,
      program: string | null = null,
      campus: string | null = null,
    ) {
      const present = (id: string) => !absent.has(id)
      const assignment = assign({ state, program, campus, language, counselors, present, turns })
      for (const [key, credit] of assignment.turns) turns.set(key, credit)
      return assignment
    },
    /** Who has the next turns, in their order. */
    next(count: number, state: string | null = null) {
      return Array.from({ length: count }, () => this.assign(state).counselor).join(' ')
    },
  }
}

/** Teams of up to `most` people, each with a weight from 1. */
const team = (most: number) =>
  fc
    .array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: most })
    .map(weights => weights.map((weight, i) => counselor(`c${i}`, weight)))

const total = (counselors: readonly Counselor[]) => counselors.reduce((sum, { weight }) => sum + weight, 0)

/** How far each one is ahead of their share after each of the assignments. */
function leads(counselors: readonly Counselor[], assignments: number): number[] {
  const { assign } = office(counselors)
  const had = new Map<string, number>()
  return Array.from({ length: assignments }, (_, i) => {
    const chosen = assign().counselor ?? ''
    had.set(chosen, (had.get(chosen) ?? 0) + 1)
    return counselors.map(({ id, weight }) => (had.get(id) ?? 0) - ((i + 1) * weight) / total(counselors))
  }).flat()
}

describe('a student', () => {
  test('goes to a counselor of the program, before those of the state, in turn if there are several', () => {
    const nurses = ['cy', 'dee'].map(id => ({ ...counselor(id, 0), programs: ['Practical nursing'] }))
    const { assign, absent } = office([counselor('ann', 5, 'TX'), ...nurses])
    const next = () => assign('TX', null, 'Practical nursing')
    deepEqual([next().counselor, next().counselor, next().counselor], ['cy', 'dee', 'cy'])
    equal(next().reason, 'program Practical nursing')
    equal(assign('TX', null, 'Welding').reason, 'territory TX')
    for (const id of ['cy', 'dee']) absent.add(id)
    equal(next().counselor, 'ann')
  })

  test('goes to a counselor of the campus, whatever their weight, in turn if there are several, and by program and state among these', () => {
    const there = (id: string, ...states: string[]) => ({ ...counselor(id, 0, ...states), campuses: ['Dallas North'] })
    const { assign, absent } = office([counselor('ann', 5, 'TX'), there('cy', 'OK'), there('dee')])
    const next = (state: string | null = null) => assign(state, null, null, 'Dallas North')
    deepEqual([next('TX').counselor, next('TX').counselor, next('TX').counselor], ['cy', 'dee', 'cy'])
    equal(next('OK').reason, 'territory OK')
    equal(next().atCampus, true)
    equal(assign('TX', null, null, 'Austin').counselor, 'ann')
    for (const id of ['cy', 'dee']) absent.add(id)
    deepEqual([next('TX').counselor, next('TX').atCampus], ['ann', false])
  })

  test('who chose a language and a campus goes to someone who has both, otherwise to someone who speaks the language', () => {
    const ann = { ...counselor('ann', 1), languages: ['es'] }
    const bob = { ...counselor('bob', 1), campuses: ['Austin'] }
    const cy = { ...counselor('cy', 1), languages: ['es'], campuses: ['Austin'] }
    const { assign, absent } = office([ann, bob, cy])
    const next = () => assign(null, 'es', null, 'Austin').counselor
    deepEqual([next(), next()], ['cy', 'cy'])
    absent.add('cy')
    equal(next(), 'ann')
    absent.add('ann')
    equal(next(), 'bob')
  })

  test('goes to the counselor of the state, however many others take turns', () => {
    const { assign } = office([counselor('ann', 5), counselor('bob', 1, 'TX', 'OK')])
    const expected = { counselor: 'bob', reason: 'territory TX', turns: new Map(), speaks: false, atCampus: false }
    deepEqual(assign('TX'), expected)
    equal(assign('OK').counselor, 'bob')
    equal(assign('NY').reason, 'next in turn')
  })

  test('goes to those of the state in turn, those without a weight as if it were 1', () => {
    const state = office([counselor('ann', 2, 'TX'), counselor('bob', 0, 'TX'), counselor('eve', 9)])
    equal(state.next(6, 'TX'), 'ann bob ann ann bob ann')
    equal(state.next(3), 'eve eve ann')
  })

  test('goes to the next in turn if the counselors of the state are absent', () => {
    const state = office([counselor('ann', 1, 'TX'), counselor('bob', 1)])
    state.absent.add('ann')
    const { counselor: chosen, reason } = state.assign('TX')
    deepEqual([chosen, reason], ['bob', 'next in turn'])
  })

  test('who chose a language goes to one who speaks it, first of all in their own state', () => {
    const eve = { ...counselor('eve', 1), languages: ['es'] }
    const fay = { ...counselor('fay', 1, 'TX'), languages: ['es', 'pl'] }
    const state = office([counselor('ann', 9, 'NY'), eve, fay])
    const chosenFor = (...student: Parameters<typeof state.assign>) => {
      const { counselor: chosen, reason, speaks } = state.assign(...student)
      return [chosen, reason, speaks]
    }
    deepEqual(chosenFor('TX', 'es'), ['fay', 'territory TX', true])
    deepEqual(chosenFor('NY', 'es'), ['eve', 'next in turn', true])
    deepEqual(chosenFor('NY', 'pl'), ['fay', 'next in turn', true])
    deepEqual(chosenFor('NY', 'fr'), ['ann', 'territory NY', false])
    deepEqual(chosenFor('NY', null), ['ann', 'territory NY', false])
    for (const absent of ['eve', 'fay']) state.absent.add(absent)
    deepEqual(chosenFor('TX', 'es'), ['ann', 'next in turn', false])
  })

  test('shares of those who speak a language stay what their weights say', () => {
    const eve = { ...counselor('eve', 1), languages: ['es'] }
    const state = office([counselor('ann', 1), eve, counselor('gus', 1)])
    const before = Array.from({ length: 9 }, () => state.assign(null, 'es').counselor)
    ok(before.every(chosen => chosen === 'eve'))
    const after = Array.from({ length: 9 }, () => state.assign().counselor)
    deepEqual(
      ['ann', 'eve', 'gus'].map(id => after.filter(chosen => chosen === id).length),
      [3, 3, 3],
    )
  })

  test('goes to the team if no one can have a turn, and the reason says why', () => {
    const noOne = (reason: string) => ({
      counselor: undefined,
      reason,
      turns: new Map(),
      speaks: false,
      atCampus: false,
    })
    deepEqual(office([]).assign(), noOne('there are no counselors'))
    const state = office([counselor('ann', 0, 'TX'), counselor('bob', 1)])
    state.absent.add('bob')
    deepEqual(state.assign('NY'), noOne('no counselor who takes turns is available'))
    state.absent.add('ann')
    deepEqual(state.assign('TX'), noOne('no counselor is available'))
  })
})

describe('turns', () => {
  test('are spread by weight, the first of the list first', () => {
    const state = office([counselor('a', 5), counselor('b', 1), counselor('c', 1)])
    equal(state.next(14), 'a a b a c a a a a b a c a a')
    equal(office([counselor('a', 1), counselor('b', 1)]).next(4), 'a b a b')
  })

  test('that an absent counselor missed are not made up', () => {
    const state = office([counselor('a', 1), counselor('b', 1), counselor('c', 1)])
    state.absent.add('a')
    equal(state.next(6), 'b c b c b c')
    state.absent.delete('a')
    equal(state.next(6), 'a b c a b c')
  })

  test('follow new weights within a few turns', () => {
    const state = office([counselor('a', 1), counselor('b', 1)])
    state.turns.set('all a', -500).set('all b', 500)
    equal(state.next(6), 'b b b b a b')
  })

  test('change only the credits that they affect', () => {
    const state = office([counselor('a', 1), counselor('b', 1), counselor('c', 1, 'TX')])
    deepEqual(
      state.assign().turns,
      new Map([
        ['all a', -2],
        ['all b', 1],
        ['all c', 1],
      ]),
    )
    state.absent.add('c')
    deepEqual([...state.assign().turns.keys()], ['all a', 'all b'])
  })

  test('put no one a whole turn ahead of their share, and come out even after each round', () => {
    fc.assert(
      fc.property(team(12), counselors => {
        const round = total(counselors)
        const ahead = leads(counselors, 2 * round)
        ok(ahead.every(lead => lead < 1 - 1e-9))
        const even = ahead.slice((round - 1) * counselors.length, round * counselors.length)
        ok(even.every(lead => Math.abs(lead) < 1e-9))
      }),
    )
  })

  test('keep everyone in a team of four within one turn of their share', () => {
    fc.assert(
      fc.property(team(4), counselors => {
        ok(leads(counselors, 2 * total(counselors)).every(lead => Math.abs(lead) < 1))
      }),
      { numRuns: 300 },
    )
  })

  test('skip absent counselors, respect territories, and keep credits small', () => {
    const states = ['TX', 'NY', 'CA']
    const weight = fc.integer({ min: 0, max: 10 })
    const own = fc.subarray(states)
    const teams = fc
      .array(fc.tuple(weight, own), { maxLength: 6 })
      .map(members => members.map(([weight, own], i) => counselor(`c${i}`, weight, ...own)))
    const arrival = fc.record({
      state: fc.constantFrom(...states, 'OK', null),
      absent: fc.subarray(['c0', 'c1', 'c2', 'c3', 'c4', 'c5']),
    })
    fc.assert(
      fc.property(teams, fc.array(arrival, { maxLength: 200 }), (counselors, arrivals) => {
        const desk = office(counselors)
        for (const { state, absent } of arrivals) {
          desk.absent.clear()
          for (const id of absent) desk.absent.add(id)
          const present = counselors.filter(({ id }) => !absent.includes(id))
          const own = present.filter(({ states }) => state !== null && states.includes(state))
          const fit = own.length > 0 ? own : present.filter(({ weight }) => weight > 0)
          const chosen = desk.assign(state).counselor
          equal(fit.length === 0, chosen === undefined)
          ok(chosen === undefined || fit.some(({ id }) => id === chosen))
        }
        const most = 3 * counselors.reduce((sum, { weight }) => sum + (weight || 1), 0)
        for (const credit of desk.turns.values()) ok(Math.abs(credit) <= most)
      }),
    )
  })
})
