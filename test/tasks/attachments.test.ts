/** Files that come with emails to the watched mailbox: which are stored, and what the staff reads about the others. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { PORTION } from '../../src/leads/attachments/attachment-limits.ts'
import { contentOf } from '../support/attachments.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { type SentFile, startReceiving, vouchedFor } from './receiving.ts'
import { readLead } from './school.ts'

const pdf = (length: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(length - 9)])
const transcript = { name: 'transcript.pdf', content: pdf(2 * PORTION + 1) }

const fromBen = [vouchedFor('mail.example'), 'From: Ben <ben@mail.example>', 'Subject: Papers', '', 'Here they are.']

onEachEngine(engine => {
  describe('the files of a reply', () => {
    test('are stored with it, and the counselor learns which', async t => {
      const school = await startReceiving(t, engine)
      const id = { name: 'id.jpg', content: Buffer.from('\xff\xd8\xff\xe0 a photo', 'latin1') }
      await school.receiveFiles([transcript, id, { name: 'setup.exe', content: Buffer.from('MZ') }], fromBen)
      const { timeline } = await readLead(school)
      const reply = timeline.find(({ kind }) => kind === 'reply')
      equal(reply?.detail, 'Here they are.')
      deepEqual(
        reply?.attachments?.map(({ name, type, size, state }) => [name, type, size, state]),
        [
          ['transcript.pdf', 'application/pdf', transcript.content.length, 'stored'],
          ['id.jpg', 'image/jpeg', 12, 'stored'],
          ['setup.exe', '', 2, 'program'],
        ],
      )
      const [first] = reply?.attachments ?? []
      ok((await contentOf(school.store, first?.id ?? 0)).equals(transcript.content))
      const told = school.last('maria@school.example').text.replace(/\s+/g, ' ')
      match(told, /They attached transcript\.pdf \(262 KB\), id\.jpg \(1 KB\)\./)
      match(told, /They also attached setup\.exe, not stored: programs are not accepted\./)
    })

    test('are left in the mailbox beyond the limits, and the reply says why', async t => {
      const school = await startReceiving(t, engine)
      const large = { name: 'large.pdf', content: pdf(9), size: 11_000_000 }
      // The mail server says that it is small.
      const liar = { name: 'liar.pdf', content: pdf(10_000_001), size: 10 }
      const others: SentFile[] = Array.from({ length: 9 }, (_, i) => ({ name: `${i}.pdf`, content: pdf(20 + i) }))
      await school.receiveFiles([large, liar, ...others], fromBen)
      const states = (await readLead(school)).timeline.flatMap(({ attachments = [] }) => attachments)
      deepEqual(
        states.map(({ name, state }) => [name, state]),
        [
          ...others.slice(0, 8).map(({ name }) => [name, 'stored']),
          ['large.pdf', 'too large'],
          ['liar.pdf', 'too large'],
          ['8.pdf', 'too many'],
        ],
      )
      equal((await sql(school.database, `select id from attachments where lead_id is not null`)).length, 0)
    })

    test('of one lead fill 50 MB at most, and those from other addresses no more than 20 MB', async t => {
      const school = await startReceiving(t, engine)
      await school.receiveFiles([transcript], fromBen)
      await sql(school.database, `update attachments set size = 49999000`)
      const more = [
        { name: 'small.pdf', content: pdf(900) },
        { name: 'more.pdf', content: pdf(200) },
      ]
      await school.receiveFiles(more, fromBen)
      const elsewhere = [
        'From: <else@mail.example>',
        `In-Reply-To: <${school.last('ben@mail.example').id}>`,
        '',
        'Me too',
      ]
      await school.receiveFiles([{ name: 'else.pdf', content: pdf(900) }], elsewhere)
      const files = (await readLead(school)).timeline.flatMap(({ attachments = [] }) => attachments)
      deepEqual(
        files.map(({ name, state }) => [name, state]),
        [
          ['transcript.pdf', 'stored'],
          ['small.pdf', 'stored'],
          ['more.pdf', 'no room'],
          ['else.pdf', 'stored'],
        ],
      )
    })

    test('are tried again while the mail server does not give them out, and then the reply comes without them', async t => {
      const school = await startReceiving(t, engine)
      const files = [transcript, { name: 'photo.jpg', content: new Error('connection lost') }]
      await rejects(school.receiveFiles(files, fromBen), /could not be fetched/)
      await rejects(school.receiveFiles(files, fromBen, { again: 1 }), /could not be fetched/)
      equal(
        (await readLead(school)).timeline.some(({ kind }) => kind === 'reply'),
        false,
      )
      await school.receiveFiles(files, fromBen, { again: 2 })
      const reply = (await readLead(school)).timeline.find(({ kind }) => kind === 'reply')
      deepEqual(
        reply?.attachments?.map(({ name, state }) => [name, state]),
        [
          ['transcript.pdf', 'stored'],
          ['photo.jpg', 'unreadable'],
        ],
      )
    })

    test('are not stored when the disk is full, but the reply is', async t => {
      const school = await startReceiving(t, engine)
      const { store } = school
      const add = store.addAttachmentPart
      t.mock.method(store, 'addAttachmentPart', async (...args: Parameters<typeof add>) => {
        if (args[1].number > 0) throw new Error('database or disk is full')
        return add(...args)
      })
      await school.receiveFiles([transcript], fromBen)
      const reply = (await readLead(school)).timeline.find(({ kind }) => kind === 'reply')
      deepEqual(
        reply?.attachments?.map(({ name, state }) => [name, state]),
        [['transcript.pdf', 'no room']],
      )
      equal((await sql(school.database, 'select * from attachment_parts')).length, 0)
    })

    test('of mail about no lead, and of automatic replies, stay in the mailbox', async t => {
      const school = await startReceiving(t, engine)
      await school.receiveFiles([transcript], ['From: <stranger@else.example>', 'Subject: Hello', '', 'Who are you?'])
      match(school.last('team@school.example').text.replace(/\s+/g, ' '), /Attached: transcript\.pdf \(262 KB\)\. Look/)
      await school.receiveFiles([transcript], ['Auto-Submitted: auto-replied', ...fromBen])
      equal((await sql(school.database, 'select * from attachments')).length, 0)
    })
  })
})
