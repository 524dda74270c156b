/** Attachments in the console: in the timeline, and as downloads that no browser shows. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { strFromU8, unzipSync } from 'fflate'
import { beginFile, replyWith } from '../support/attachments.ts'
import { startConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, ben } from '../tasks/school.ts'

const PHOTO = randomBytes(300_000)

async function aDesk(t: TestContext, engine: 'sqlite' | 'postgres') {
  const service = await startConsole(t, { engine, settings: aSchool })
  await service.postStudent(ben())
  await service.settle()
  const { store } = service.app
  const now = service.clock.now()
  const files = [
    { name: 'Año "1998" 🏥.jpg', bytes: PHOTO },
    { name: 'new.pdf', bytes: Buffer.from('%PDF'), state: 'unchecked' as const },
  ]
  const { attachments = [] } = await replyWith(store, 1, files, now)
  const [photo, unchecked] = attachments.map(({ id }) => id)
  return { ...service, store, now, photo, unchecked }
}

onEachEngine(engine => {
  test('an attachment is downloaded as it came, under its name, and no browser shows it', async t => {
    const { client, photo, store } = await aDesk(t, engine)
    const manager = await client('manager', { name: 'Dana Kim' })
    const { text } = await manager.get('/leads/1')
    match(text, new RegExp(`<a href="/leads/1/attachments/${photo}" download>Año &quot;1998&quot; 🏥\\.jpg</a>`))
    match(text, /300 KB/)
    match(text, /new\.pdf \(1 KB\), being checked/)
    const response = await manager.fetch(`/leads/1/attachments/${photo}`)
    equal(response.status, 200)
    ok(Buffer.from(await response.arrayBuffer()).equals(PHOTO))
    const headers = Object.fromEntries(response.headers)
    equal(headers['content-length'], '300000')
    equal(
      headers['content-disposition'],
      `attachment; filename="A_o _1998_ __.jpg"; filename*=UTF-8''A%C3%B1o%20%221998%22%20%F0%9F%8F%A5.jpg`,
    )
    equal(headers['x-content-type-options'], 'nosniff')
    equal(headers['cache-control'], 'private, no-store')
    match(headers['content-security-policy'] ?? '', /default-src 'none'.*sandbox/)
    equal(headers['x-frame-options'], 'DENY')
    const [audited] = await store.listAudit({ leadId: 1, limit: 1 })
    deepEqual([audited?.actor, audited?.action], ['Dana Kim', 'downloaded an attachment of'])
  })

  test('an attachment cannot be downloaded before it was checked, by other leads, or by those who may not see its lead', async t => {
    const { client, photo, unchecked, store, now, postStudent, settle } = await aDesk(t, engine)
    const manager = await client('manager')
    const waiting = await manager.get(`/leads/1/attachments/${unchecked}`)
    equal(waiting.status, 409)
    match(waiting.text, /being checked for viruses/)
    await postStudent(ben({ email: 'other@mail.example', idempotencyKey: 'other' }))
    await settle()
    const unsent = await beginFile(store, 1, { name: 'b.txt', bytes: Buffer.from('b'), now })
    for (const path of [`/leads/2/attachments/${photo}`, '/leads/1/attachments/999', `/leads/1/attachments/${unsent}`])
      equal((await manager.get(path)).status, 404, path)
    await store.assignLead(1, { owner: 'maria', actor: null, now })
    const sam = await client('counselor', { email: 'sam@school.example' })
    equal((await sam.get(`/leads/1/attachments/${photo}`)).status, 404)
    const maria = await client('counselor', { email: 'maria@school.example' })
    equal((await maria.get(`/leads/1/attachments/${photo}`)).status, 200)
    equal((await (await client('viewer')).get(`/leads/1/attachments/${photo}`)).status, 200)
    equal((await (await client()).fetch(`/leads/1/attachments/${photo}`)).status, 303)
  })

  test('a reply stands in the timeline and beside a new email with its attachments, and what it quotes is folded', async t => {
    const { client, photo, store, now } = await aDesk(t, engine)
    await replyWith(store, 1, [], now, 'Can I come?\n\n> One\n> two\n> three\n> four\n> five')
    const manager = await client('manager')
    for (const path of ['/leads/1', '/leads/1/write']) {
      const { text } = await manager.get(path)
      match(text, /Can I come\?\n\n<details class="quoted"><summary>Quoted text<\/summary>&gt; One\n/, path)
      match(text, new RegExp(`<a href="/leads/1/attachments/${photo}" download>`), path)
      match(text, /new\.pdf \(1 KB\), being checked/, path)
    }
  })

  test('attachments are in the export of everything about a person', async t => {
    const { client, photo } = await aDesk(t, engine)
    const zip = await (await (await client('manager')).fetch('/privacy/people/1/export.zip')).bytes()
    const files = unzipSync(zip)
    deepEqual(Object.keys(files), ['person.html', 'person.json', `attachments/${photo} Año "1998" 🏥.jpg`])
    ok(Buffer.from(files[`attachments/${photo} Año "1998" 🏥.jpg`] ?? []).equals(PHOTO))
    match(strFromU8(files['person.html'] ?? new Uint8Array()), /Año &quot;1998&quot; 🏥\.jpg \(300 KB\)/)
    const { timeline } = JSON.parse(strFromU8(files['person.json'] ?? new Uint8Array()))
    equal(timeline.find(({ kind }: { kind: string }) => kind === 'reply').attachments.length, 2)
  })
})
