/** The same words through each way in become the same lead, except for what is listed here. */
import { deepEqual, equal } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { PartialSettings } from '../../src/config/settings.ts'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { addressHash } from '../../src/leads/body/email.ts'
import type { Kind } from '../../src/leads/body/submission.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { frontdeskIn } from '../cli/frontdesk.ts'
import { aSite } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole, type TestConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql, urlOf } from '../support/engines.ts'
import { openForm } from '../support/forms.ts'
import { aSchool } from './school.ts'

const ALL_DAY = '00:00-24:00'
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

const settings: PartialSettings = {
  ...aSchool,
  school: { ...aSchool.school, hours: Object.fromEntries(DAYS.map(day => [day, ALL_DAY])) },
  followUp: { quietHours: { from: '00:00', to: '00:00' } },
  programs: [{ name: 'Medical assistant' }, { name: 'Welding' }],
  accounts: { directory: 'table', feedback: 'conceal' },
}

const SOURCE = 'Spring fair'

const words = {
  student: {
    firstName: 'Ana',
    lastName: 'Ruiz',
    email: 'ana@mail.example',
    phone: '512 555 0188',
    city: 'Austin',
    state: 'TX',
    employer: 'Lone Star Diner',
    message: 'Is the Medical assistant program in the evening?',
  },
  site: {
    firstName: 'Ana',
    lastName: 'Ruiz',
    email: 'ana@mail.example',
    phone: '512 555 0188',
    company: 'Mercy Hospital',
    address: '100 Main Street, Austin, TX 78701',
    message: 'We could host two students of the Medical assistant program.',
  },
} satisfies Record<Kind, Record<string, string>>

type Said = Record<string, string>
type Way = (service: TestConsole, kind: Kind, said: Said) => Promise<void>

const ways = {
  operation: async (service, kind, body) => {
    const { status } = await (kind === 'student'
      ? service.postStudent({ ...body, idempotencyKey: 'a key of Ana' })
      : service.postSite({ ...aSite({}, service.clock.now()), ...body }))
    equal(status, 200)
  },
  form: async (service, kind, said) => {
    const form = await openForm(service, kind, { query: `?utm_source=${encodeURIComponent(SOURCE)}` })
    service.clock.advance(MINUTE)
    equal((await form.send(said)).status, 303)
  },
  source: async (service, kind, said) => {
    const admin = await service.client('admin')
    const mapping = Object.keys(said).map(name => [`place-${name}`, name])
    const made = { name: SOURCE, leadKind: kind, mayWrite: 'on', ...Object.fromEntries(mapping) }
    const { text } = await admin.post('/sources/new/post', made)
    const url = /https?:\/\/[^<]+(\/sources\/src_[\w-]+)/.exec(text)?.[1] ?? ''
    const body = JSON.stringify(said)
    const headers = { 'content-type': 'application/json' }
    equal((await fetch(`${service.origin.console}${url}`, { method: 'POST', headers, body })).status, 200)
  },
  console: async (service, kind, said) => {
    const client = await service.client('manager', { name: 'Jo Manager', email: 'jo@school.example' })
    const once = fieldOn((await client.get(`/leads/add?kind=${kind}`)).text, 'once')
    await client.post('/leads/add', { ...said, kind, once, cameFrom: SOURCE, owner: '', mayWrite: 'on' })
  },
  'command line': async ({ dataDir, database }, kind, said) => {
    const file = join(dataDir, 'settings.mjs')
    writeFileSync(file, `export default ${JSON.stringify(settings)}`)
    const frontdesk = frontdeskIn(dataDir, { DATABASE_URL: urlOf(database), FRONTDESK_CONFIG: file })
    const options = Object.entries(said).flatMap(([name, value]) => [
      `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`,
      value,
    ])
    const about = ['--kind', kind, '--came-from', SOURCE, '--by', 'Jo Manager', '--may-write']
    const { code, err } = await frontdesk('leads', 'add', ...about, ...options)
    deepEqual([code, err], [0, ''])
  },
  import: async ({ app: { store }, clock, settle }, kind, said) => {
    const columns = Object.keys(said) as never
    const cells = Object.values(said).map(value => `"${value}"`)
    const bytes = Buffer.from(`${Object.keys(said).join()}\n${cells.join()}\n`)
    const now = clock.now()
    const id = await storeList(store, { bytes, fileName: 'fair.csv', by: 'Jo Manager', now })
    await store.checkImport(id, { plan: { kind, columns, source: SOURCE, language: 'en', mayWrite: true }, now })
    await settle()
    equal(await store.startImport(id, { now }), 'done')
  },
} satisfies Record<string, Way>

type Became = {
  lead: Record<string, unknown>
  programs: string[]
  words: string[]
  timeline: string[]
  messages: string[]
}

/** What became of the words: the lead, its programs, what finds it, its timeline, and the messages about it. */
async function becameOf({ database, app: { store } }: TestConsole): Promise<Became> {
  const [lead]: Record<string, unknown>[] = await sql(
    database,
    `select kind, stage, email, person_key, first_name, last_name, phone, phone_e164, latest_phone, company, state, owner, account,
      came_from, campaign, language, consent, cadence_id from leads where id = 1`,
  )
  const labels = (await store.readLabels([1])).get(1) ?? []
  const [indexed] = await sql(database, 'select words from lead_words where lead_id = 1')
  const entries = (await store.readLead(1))?.timeline ?? []
  const tasks = await sql(
    database,
    `select kind, step, state from tasks where lane not in ('filing', 'imports') order by kind, step`,
  )
  return {
    lead: { ...lead, cadence_id: lead?.['cadence_id'] !== null },
    programs: labels.map(({ name }) => name),
    words: String(indexed?.['words']).split(' '),
    // What is sent first may differ.
    timeline: entries.map(({ kind, detail, actor }) => [kind, detail, actor].filter(Boolean).join(' ')).toSorted(),
    messages: tasks.map(({ kind, step, state }) => `${kind} ${step} ${state}`),
  }
}

/** For each way in, everything that may differ from what the operation makes of the same words. */
const differences: Record<keyof typeof ways, (operation: Became, kind: Kind) => Became> = {
  operation: operation => operation,
  form: (operation, kind) => {
    const { words: ofAny, ...others } = ofAForm(operation)
    // Only a form of the school has a name.
    const { lead, words: found, ...more } = { ...others, words: [...ofAny, `form:${kind}interest`].toSorted() }
    // Only the form for students asks whether we may call and text.
    return kind === 'student'
      ? { ...more, lead: { ...lead, consent: 'refused' }, words: [...found, 'consent:refused'].toSorted() }
      : { ...more, lead, words: found }
  },
  source: operation => ofAForm(operation),
  console: operation => enteredBy('Jo Manager', ofAForm(operation)),
  'command line': operation => enteredBy('Jo Manager', ofAForm(operation)),
  import: (operation, kind) => {
    const { timeline, messages, lead, ...more } = enteredBy('imported Jo Manager', ofAForm(operation))
    // The first step reminds the staff.
    const left = messages.filter(message => !/^(?:account|receipt|notify|step 0) /.test(message))
    return {
      ...more,
      // A site has only reminders.
      lead: { ...lead, cadence_id: kind === 'student' },
      timeline: timeline.filter(entry => !entry.startsWith('email')),
      messages: ['imported 0 done', ...left],
    }
  },
}

/** A form, also one for staff, says where the person comes from and which language it is in. */
const ofAForm = ({ lead, words: found, ...more }: Became): Became => ({
  ...more,
  lead: { ...lead, came_from: SOURCE, language: 'en' },
  words: [...found, 'from:springfair', 'language:en'].toSorted(),
})

const enteredBy = (who: string, became: Became): Became => ({
  ...became,
  timeline: became.timeline.map(entry => (entry === 'submission' ? `${entry} ${who}` : entry)).toSorted(),
})

async function becameOfThose(t: TestContext, engine: Engine, kind: Kind, way: Way, said: Said = words[kind]) {
  // The command goes by the clock of the system, so the service must stand near it.
  const service = await startConsole(t, { engine, settings, clock: testClock(Date.now()) })
  const { store } = service.app
  const secret = await store.getOrCreateSecret('addresses', 'kept before')
  await store.importAccounts([addressHash(secret, words.student.email)], { replace: false })
  await way(service, kind, said)
  await service.settle()
  return becameOf(service)
}

onEachEngine(engine => {
  for (const kind of ['student', 'site'] as const)
    test(`the same words about a ${kind} become the same lead through each way in`, async t => {
      const operation = await becameOfThose(t, engine, kind, ways.operation)
      deepEqual([operation.lead['account'], operation.programs], [kind === 'student' ? 1 : 0, ['Medical assistant']])
      for (const way of Object.keys(differences) as (keyof typeof ways)[])
        deepEqual(
          await becameOfThose(t, engine, kind, ways[way]),
          differences[way](operation, kind),
          `through the ${way}`,
        )
    })

  for (const without of ['email', 'phone'] as const)
    for (const kind of ['student', 'site'] as const)
      test(`a ${kind} without ${without === 'email' ? 'an address' : 'a number'} becomes the same lead through each way but those of the person`, async t => {
        const { [without]: _, ...said } = words[kind]
        const became = (way: Way) => becameOfThose(t, engine, kind, way, said)
        const { lead, programs, words: found } = await became(ways.console)
        equal(lead[without], null)
        equal(lead['person_key'], without === 'email' ? '+15125550188' : 'ana@mail.example')
        deepEqual(programs, ['Medical assistant'])
        for (const way of ['source', 'command line', 'import'] as const) {
          const other = await became(ways[way])
          const follows = way === 'import' ? kind === 'student' : true
          deepEqual(other.lead, { ...lead, cadence_id: follows }, `through the ${way}`)
          deepEqual([other.programs, other.words], [programs, found], `through the ${way}`)
        }
      })
})
