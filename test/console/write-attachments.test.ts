/** Attachments of emails that staff write: uploaded with the form, kept while it is not sent, and sent with it. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { MailDeferred } from '../../src/mail/transport/mailer.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { contentOf } from '../support/attachments.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const MARIA = { email: 'maria@school.example', name: 'Maria Example' }
const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300_000)])

async function aDesk(t: TestContext, engine: Engine, scanCommand: string[] = []) {
  const failing: { times: number } = { times: 0 }
  const service = await startConsole(t, {
    engine,
    settings: { ...aSchool, attachments: { scanCommand } },
    clock: testClock(MONDAY),
    mail: async ({ id }) => {
      if (id.startsWith('message') && failing.times-- > 0) throw new MailDeferred('421 try later')
    },
  })
  await service.postStudent(ben())
  await service.settle()
  const maria = await service.client('counselor', MARIA)
  const write = async (fields: Record<string, string>, files: Record<string, Buffer> = {}, client = maria) => {
    const form = new FormData()
    const usual = { subject: 'Papers', text: 'Please sign these.', once: 'form 1', do: 'send' }
    for (const [name, value] of Object.entries({ ...usual, ...fields })) form.set(name, value)
    for (const [name, bytes] of Object.entries(files)) form.append('files', new File([new Uint8Array(bytes)], name))
    if (Object.keys(files).length === 0) form.append('files', new File([], ''))
    return send(client, service.origin.console, form)
  }
  const written = () => service.sent.filter(({ id }) => id.startsWith('message'))
  const message = async () => {
    const { timeline } = (await service.app.store.readLead(1)) ?? { timeline: [] }
    return timeline.find(({ kind }) => kind === 'message')
  }
  return { ...service, store: service.app.store, maria, write, written, message, failing }
}

async function send(client: ConsoleClient, origin: string, body: FormData) {
  const response = await client.fetch('/leads/1/write', { method: 'POST', headers: { origin }, body })
  if (response.status !== 303) return { status: response.status, text: await response.text() }
  return client.get(response.headers.get('location') ?? '')
}

onEachEngine(engine => {
  describe('attachments of an email that someone writes', () => {
    test('are sent with it, the same on every attempt, and stand in the timeline', async t => {
      const { write, written, message, store, settle, clock, failing } = await aDesk(t, engine)
      failing.times = 1
      const sent = await write({}, { 'C:\\forms\\Año.pdf': PDF, 'notes.txt': Buffer.from('Room 5') })
      match(sent.text, /goes out in ten seconds, with Año\.pdf and notes\.txt\./)
      match(sent.text, /<a href="\/leads\/1\/attachments\/\d+" download>Año\.pdf<\/a>/)
      clock.advance(11 * SECOND)
      await settle()
      equal(written().length, 0)
      clock.advance(MINUTE)
      await settle()
      const [email] = written()
      deepEqual(
        email?.attachments?.map(({ name, type, size }) => [name, type, size]),
        [
          ['Año.pdf', 'application/pdf', PDF.length],
          ['notes.txt', 'text/plain', 6],
        ],
      )
      ok((await email?.attachments?.[0]?.read())?.equals(PDF))
      const [first] = (await message())?.attachments ?? []
      ok((await contentOf(store, first?.id ?? 0)).equals(PDF))
    })

    test('stay while the form is not sent, as what was typed does, and can be removed', async t => {
      const { write, maria, store, client } = await aDesk(t, engine)
      const invalid = await write({ subject: '' }, { 'a.pdf': PDF, 'b.txt': Buffer.from('b') })
      equal(invalid.status, 422)
      match(invalid.text, /The subject must not be empty/)
      match(invalid.text, /a\.pdf <span class="quiet">300 KB/)
      match(invalid.text, /Please sign these\./)
      const again = await maria.get('/leads/1/write')
      match(again.text, /a\.pdf[\s\S]*b\.txt/)
      const [, remove] = /value="(remove \d+)"/.exec(again.text) ?? []
      const left = await write({ do: remove ?? '' })
      ok(!/a\.pdf/.test(left.text) && /b\.txt/.test(left.text) && /Please sign these\./.test(left.text))
      // A colleague has not attached them.
      ok(!/b\.txt/.test((await (await client('manager')).get('/leads/1/write')).text))
      await write({}, {})
      deepEqual((await store.listUploads(1, maria.operator)).length, 0)
    })

    test('that are not accepted, too many or too large are not attached, and nothing that was typed is lost', async t => {
      const { write, maria, store } = await aDesk(t, engine)
      const program = await write({}, { 'setup.exe': Buffer.from('MZ'), 'a.pdf': PDF })
      equal(program.status, 422)
      match(program.text, /setup\.exe is not attached: programs are not accepted\./)
      match(program.text, /Please sign these\./)
      const large = await write({}, { 'large.pdf': Buffer.concat([PDF, Buffer.alloc(7_000_000)]) })
      equal(large.status, 422)
      match(large.text, /have 7\.6 MB together, and the limit is 7\.0 MB/)
      match(large.text, /Please sign these\./)
      const many = await write({}, Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${i}.pdf`, PDF])))
      match(many.text, /at most 10 attachments, and these are 11/)
      deepEqual(
        (await store.listUploads(1, maria.operator)).map(({ name }) => name),
        ['a.pdf'],
      )
    })

    test('are sent once, though the form is sent twice', async t => {
      const { write, written, maria, store, settle, clock } = await aDesk(t, engine)
      await write({}, { 'a.pdf': PDF })
      await write({}, { 'a.pdf': PDF })
      clock.advance(MINUTE)
      await settle()
      equal(written().length, 1)
      equal(written()[0]?.attachments?.length, 1)
      deepEqual(await store.listUploads(1, maria.operator), [])
    })

    test('are named by the preview, which does not store them', async t => {
      const { maria, store } = await aDesk(t, engine)
      const fields = new URLSearchParams({ subject: 'Papers', text: 'Hello' })
      for (const name of ['a.pdf', 'b.txt']) fields.append('files', name)
      const { text } = await maria.post('/leads/1/preview', fields)
      match(text, /Attached:<\/strong> a\.pdf, b\.txt/)
      deepEqual(await store.listUploads(1, maria.operator), [])
    })

    test('hold the email until they are scanned; with a virus, it is not sent, and its author learns why', async t => {
      const script = `process.exit(require('node:fs').readFileSync(0, 'latin1').includes('VIRUS') ? 1 : 0)`
      const { write, written, settle, clock, database, sent, maria } = await aDesk(t, engine, [
        process.execPath,
        '-e',
        script,
      ])
      await write({ once: 'clean' }, { 'a.pdf': PDF })
      match((await maria.get('/leads/1')).text, /a\.pdf/)
      clock.advance(MINUTE)
      await settle()
      clock.advance(MINUTE)
      await settle()
      equal(written().length, 1)
      await write({ once: 'bad' }, { 'bad.txt': Buffer.from('VIRUS') })
      clock.advance(HOUR)
      await settle()
      clock.advance(HOUR)
      await settle()
      equal(written().length, 1)
      const [task] = await sql(database, `select state, note from tasks where kind = 'message' order by id desc`)
      deepEqual([task?.['state'], task?.['note']], ['skipped', 'the scanner found a virus in bad.txt'])
      ok(sent.some(({ text }) => /The reason: the scanner found a virus in bad\.txt/.test(text.replace(/\s+/g, ' '))))
    })

    test('are deleted a day after the form was left, and with the person', async t => {
      const { write, store, clock, maria } = await aDesk(t, engine)
      await write({ subject: '' }, { 'a.pdf': PDF })
      await store.expireAttachments({ before: clock.now() - DAY, limit: 9 })
      equal((await store.listUploads(1, maria.operator)).length, 1)
      clock.advance(DAY + 1)
      await store.expireAttachments({ before: clock.now() - DAY, limit: 9 })
      equal((await store.listUploads(1, maria.operator)).length, 0)
    })
  })
})
