/**
 * Each event that a destination can hear of, from what people do to the body that arrives, and its published schema.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { everyField } from '../../src/destinations/event-payload.ts'
import { everyEvent } from '../../src/leads/lead/lead-events.ts'
import { HOUR } from '../../src/platform/time.ts'
import { fieldOn } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { aSchool, ben } from '../tasks/school.ts'
import { addWebhook, startWithReceiver, typesOf } from './add-destination.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}
type Schemas = { $defs: Record<string, Schema> }

const typeNames = (value: unknown): string[] => {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value]
}

/** What is wrong with a value, by the keywords that our schemas use; unknown properties count, too. */
function problems(value: unknown, schema: Schema, { $defs }: Schemas, path = ''): string[] {
  if (schema.$ref !== undefined)
    return problems(value, $defs[schema.$ref.replace('#/$defs/', '')] ?? {}, { $defs }, path)
  const types = schema.type === undefined ? undefined : [schema.type].flat()
  if (types !== undefined && !typeNames(value).some(name => types.includes(name))) return [`${path}: ${typeof value}`]
  if ('const' in schema && schema.const !== value) return [`${path} is not ${schema.const}`]
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${path} is not one of ${schema.enum}`]
  if (Array.isArray(value))
    return value.flatMap((item, n) => problems(item, schema.items ?? {}, { $defs }, `${path}/${n}`))
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return []
  const known = schema.properties
  return [
    ...(schema.required ?? []).filter(name => !(name in value)).map(name => `${path}/${name} is missing`),
    ...Object.entries(value).flatMap(([name, one]) =>
      known[name] === undefined
        ? `${path}/${name} is unknown`
        : problems(one, known[name], { $defs }, `${path}/${name}`),
    ),
  ]
}

onEachEngine(engine => {
  test('the times of events say in which order they happened, though the clock of one process is behind', async t => {
    const service = await startWithReceiver(t, { engine, settings: aSchool })
    const { admin, url, received, postStudent, settle, database, clock } = service
    await addWebhook(admin, url)
    await postStudent(ben())
    // Another process, whose clock is ahead, has accepted it.
    await sql(database, 'update submissions set received_at = received_at + 55')
    await settle()
    await admin.post('/leads/1', { do: 'reached' })
    await settle()
    deepEqual(
      received.map(({ event }) => [event.type, Date.parse(event.timestamp) - clock.now()]),
      [
        ['lead.created', 55],
        ['submission.received', 55],
        ['lead.assigned', 55],
        ['lead.stage_changed', 55],
        ['lead.reached', 55],
      ],
    )
  })

  test('each event comes when it should, as its schema says, with all fields or with few', async t => {
    let refuses = false
    const service = await startWithReceiver(t, {
      engine,
      settings: aSchool,
      mail: async ({ to }) => {
        if (refuses && to.address.endsWith('home.example')) throw new Error('550 5.1.1 no such user')
      },
    })
    const { admin, client, url, received, postStudent, settle, clock, app } = service
    await addWebhook(admin, url, { fields: everyField, name: 'Full' })
    await addWebhook(admin, url, { name: 'Thin' })
    const schemas = JSON.parse((await admin.get('/destinations/events.json')).text) as Schemas
    /** The types that came since the last time, without their order across leads. */
    const heard = async () => {
      const from = received.length
      await settle()
      const since = received.slice(from)
      for (const { body, event } of since)
        deepEqual(problems(JSON.parse(body), schemas.$defs[event.type] ?? {}, schemas), [], event.type)
      return [...new Set(typesOf(since))].toSorted()
    }
    await postStudent(ben({ programs: ['Welding'], message: 'How long is the course?' }))
    deepEqual(await heard(), ['lead.assigned', 'lead.created', 'submission.received'])
    await postStudent(ben({ email: 'okafor@home.example', phone: '512 555 0177', idempotencyKey: 'from home' }))
    await settle()
    await admin.post('/leads/1', { do: 'assign', counselor: 'sam' })
    deepEqual(await heard(), ['lead.assigned'])
    const compare = (await admin.get('/leads/1/merge?with=2')).text
    const fields = ['with', 'keep', 'seen', 'seenOther'].map(name => [name, fieldOn(compare, name)])
    await admin.post('/leads/1/merge', Object.fromEntries(fields))
    deepEqual(await heard(), ['lead.merged'])
    const merged = received.findLast(({ event }) => event.type === 'lead.merged')
    deepEqual([leadIn(merged?.event.data), merged?.event.data['other']], [1, 2])
    await admin.post('/leads/1/unmerge', { lead: '2' })
    ok((await heard()).includes('lead.unmerged'))
    await admin.post('/leads/1', { do: 'reached' })
    deepEqual(await heard(), ['lead.reached', 'lead.stage_changed'])
    await admin.post('/leads/1/destinations', { to: '1' })
    deepEqual(await heard(), ['lead.handed_over'])
    refuses = true
    const later = new Set<string>()
    for (let hours = 0; hours < 10 * 24; hours += 2) {
      clock.advance(2 * HOUR)
      for (const type of await heard()) later.add(type)
    }
    ok(later.has('lead.late'), 'no one has called lead 2')
    ok(later.has('message.failed'), 'its address does not exist')
    const week = { first: '2026-11-16', last: '2026-11-22', students: 2, sites: 0, reached: 1, untried: 1 }
    await app.store.recordWeek({ ...week, url: 'https://console.school.example/report' }, clock.now())
    deepEqual(await heard(), ['report.weekly'])
    const erasing = { askedBy: 'command line', confirmedBy: null, reason: 'asked', addressHash: undefined } as const
    await app.store.erasePerson('okafor@home.example', { ...erasing, now: clock.now() })
    deepEqual(await heard(), ['lead.erased'])
    deepEqual(new Set(typesOf(received)), new Set(everyEvent), 'none was left out')
    equal((await (await client('manager')).get('/destinations/events.json')).status, 403)
  })
})

const leadIn = (data: Record<string, unknown> | undefined) => (data?.['lead'] as { id: number } | undefined)?.id
