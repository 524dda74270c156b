/** Attachments in the store: where they go when leads are merged, erased or undone, and when they expire. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { defaultSettings } from '../../src/config/settings.ts'
import { DAY } from '../../src/platform/time.ts'
import { expireAttachments } from '../../src/tasks/expiry-of-data.ts'
import { beginFile, contentOf, replyWith } from '../support/attachments.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asked } from '../support/store.ts'
import { ben, startSchool } from '../tasks/school.ts'

const PHOTO = randomBytes(300_000)
const NOTE = Buffer.from('Hello')

/** Ben has sent a photo and a note, and has a second lead under another address. */
async function aSchoolWithFiles(t: TestContext, engine: Engine) {
  const school = await startSchool(t, { engine })
  const { store } = school.app
  await school.postStudent(ben())
  await school.postStudent(ben({ email: 'ben@home.example', idempotencyKey: 'from home' }))
  await school.settle()
  const files = [
    { name: 'photo.jpg', bytes: PHOTO },
    { name: 'note.txt', bytes: NOTE },
  ]
  const now = school.clock.now()
  const entry = await replyWith(store, 1, files, now)
  const [photo, note] = (entry.attachments ?? []).map(({ id }) => id)
  ok(photo && note)
  const count = async (table: string) =>
    Number((await sql(school.database, `select count(*) as n from ${table}`))[0]?.['n'])
  return { ...school, store, entry, photo, note, now, count }
}

onEachEngine(engine => {
  describe('an attachment', () => {
    test('is read as it was stored, in portions, and belongs to the entry of its email', async t => {
      const { store, entry, photo, note } = await aSchoolWithFiles(t, engine)
      deepEqual(
        entry.attachments?.map(({ name, size, state }) => [name, size, state]),
        [
          ['photo.jpg', PHOTO.length, 'stored'],
          ['note.txt', NOTE.length, 'stored'],
        ],
      )
      ok((await contentOf(store, photo)).equals(PHOTO))
      equal(String(await contentOf(store, note)), 'Hello')
      equal((await store.readAttachment(photo))?.leadId, 1)
      const page = await store.readLead(1)
      deepEqual(page?.timeline.find(({ id }) => id === entry.id)?.attachments, entry.attachments)
      deepEqual(await store.sumAttachments(1), { known: 300_005, other: 0, all: 300_005 })
      deepEqual(await store.sumAttachments(2), { known: 0, other: 0, all: 300_005 })
    })

    test('moves with the history of a lead that is merged, and back', async t => {
      const { store, photo, now } = await aSchoolWithFiles(t, engine)
      await store.mergeLeads(2, { other: 1, actor: 'maria', now })
      equal((await store.readAttachment(photo))?.leadId, 2)
      await store.unmergeLead(1, { actor: 'maria', now })
      equal((await store.readAttachment(photo))?.leadId, 1)
    })

    test('is erased with the person, also one whose email was not recorded yet', async t => {
      const { store, now, count } = await aSchoolWithFiles(t, engine)
      const coming = await beginFile(store, 1, { name: 'b.txt', bytes: NOTE, now })
      const half = await store.beginAttachment(1, { now })
      await store.erasePerson('ben@mail.example', { ...asked, addressHash: undefined, now })
      deepEqual([await count('attachments'), await count('attachment_parts')], [0, 0])
      await rejects(store.addAttachmentPart(half, { number: 0, bytes: NOTE }))
      await store.discardAttachments([coming])
    })

    test('is filed once: an email that is recorded twice, or not at all, leaves nothing more', async t => {
      const { store, now, count, entry } = await aSchoolWithFiles(t, engine)
      const before = await count('attachments')
      const again = await beginFile(store, 1, { name: 'b.txt', bytes: NOTE, now })
      const event = { kind: 'reply', detail: 'Again', tell: true, attachments: [{ stored: again }] } as const
      const record = { mailbox: 'files', uidValidity: '1', uid: 1, effect: { leadId: 1, event, suppression: null } }
      equal(await store.recordInbound(record, now), false)
      const filed = (entry.attachments ?? []).map(({ id }) => id)
      await store.discardAttachments([again, ...filed])
      equal(await count('attachments'), before)
      deepEqual((await store.readEntry(entry.id))?.attachments, entry.attachments)
    })

    test('that never became part of an email is deleted after a day', async t => {
      const { store, now, count, clock } = await aSchoolWithFiles(t, engine)
      await store.beginAttachment(1, { now })
      await beginFile(store, 1, { name: 'b.txt', bytes: NOTE, operatorId: 7, now })
      const deps = { store, clock, settings: defaultSettings }
      const { signal } = new AbortController()
      clock.advance(DAY - 1)
      await expireAttachments(deps, signal)
      equal(await count('attachments'), 4)
      clock.advance(2)
      await expireAttachments(deps, signal)
      equal(await count('attachments'), 2)
      equal(await count('attachment_parts'), 4)
    })
  })
})
