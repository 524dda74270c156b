/** Checks what became of the people on imported lists: each is a lead once, no one is reminded of them, and undoing takes all of it. */
import { DAY, HOUR } from '../../src/platform/time.ts'
import { sql } from '../../test/support/engines.ts'
import type { Expect, Facts, TaskFact } from './facts.ts'
import { isDaytime } from './hours.ts'
import { isTakenBack, type ListedPerson } from './lists.ts'
import { keyOf, type Message } from './post-office.ts'
import { CLOSING, LETTERS } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

/** The kinds of messages that list leads of all sorts. */
const SUMMARIES: readonly string[] = ['unattended', 'report', 'retention']

export async function auditLists(world: World, { tasks }: Facts, expect: Expect): Promise<void> {
  const { lists, ledger, post, storage } = world
  const rows = await sql(storage.database, `select id, email, stage from leads where email like 'i%'`)
  const leads = Map.groupBy(rows, row => String(row['email']))
  const messages = Map.groupBy(post.byId.values(), ({ listed }) => listed)
  const steps = Map.groupBy(
    tasks.filter(({ kind }) => kind === 'step'),
    ({ subject }) => subject,
  )
  for (const { n, id, people } of lists.all) {
    const told = tasks.filter(({ kind, subject }) => kind === 'imported' && subject === id)
    expect(told.length > 0, `no one was told that list ${n} was imported`)
    for (const person of people) {
      const { email, lead } = person
      const what = `the person ${email.slice(0, email.indexOf('@'))} of list ${n}`
      const found = leads.get(email) ?? []
      const erased = lead !== undefined && ledger.erasedLeads.has(lead)
      const kept = !erased && !isTakenBack(person)
      expect(found.length === (kept ? 1 : 0), `${what} has ${found.length} leads, not ${kept ? 1 : 0}`)
      for (const message of messages.get(email) ?? []) auditMessage(world, person, message, expect)
      auditFollowUp(world, person, steps.get(lead ?? 0) ?? [], expect)
    }
  }
}

function auditMessage({ ledger }: World, person: ListedPerson, message: Message, expect: Expect) {
  const { list, state, lead, acts } = person
  const { id, kind, to, step, listed, deliveries } = message
  if (SUMMARIES.includes(kind)) return
  const letter = to === listed && kind === 'step' && LETTERS.has(step)
  expect(letter && list.mayWrite, `message ${id} about someone on list ${list.n} came to ${to}`)
  const first = deliveries[0]
  if (first === undefined) return
  const days = LETTERS.get(step) ?? 0
  const early = list.imported.at + days * DAY - HOUR - SKEW - first.at
  expect(early <= 0, `message ${id} to someone on list ${list.n} came ${early / HOUR} hours early`)
  const open = isDaytime(state, first.at) || isDaytime(state, first.at + SKEW)
  expect(open, `message ${id} to someone on list ${list.n} came at ${new Date(first.at).toISOString()}`)
  const stops = [
    isTakenBack(person) ? list.undone : undefined,
    acts.find(({ what }) => what === 'closed'),
    ledger.erasedLeads.get(lead ?? 0),
  ]
  const stop = stops.find(one => one !== undefined && one.from <= first.tick)
  expect(stop === undefined, `message ${id} to someone on list ${list.n} came after day ${stop && stop.elapsed / DAY}`)
}

/** Those who agreed get each email once, until something is done with their lead. No one else has a follow-up. */
function auditFollowUp({ post }: World, { list, lead, acts }: ListedPerson, steps: TaskFact[], expect: Expect) {
  const known = steps.filter(({ step }) => list.mayWrite && (LETTERS.has(step) || step === CLOSING))
  expect(known.length === steps.length, `lead ${lead} of list ${list.n} has steps that remind someone`)
  const untouched = list.mayWrite && list.undone === undefined && acts.every(({ what }) => what !== 'closed')
  if (!untouched) return
  for (const step of LETTERS.keys()) {
    const task = steps.find(one => one.step === step)
    const came = task?.state === 'done' || (task !== undefined && post.rejected.has(keyOf(task)))
    expect(came, `email ${step} to lead ${lead} of list ${list.n} is ${task?.state}: ${task?.note}`)
  }
}
