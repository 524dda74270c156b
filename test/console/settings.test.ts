/** The page of the settings: what is in force, where it comes from, and what it never shows. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { telling } from '../../src/config/setting-topics.ts'
import { editedPages } from '../../src/console/versions/edited-pages.ts'
import { startConsole } from '../support/console.ts'

test('the page of the settings says in plain words what each does and where it is changed, and shows no secret', async t => {
  const service = await startConsole(t, {
    settings: { school: { name: 'Riverside School' }, quarantine: { capacity: 1000 } },
    env: {
      IMAP_URL: 'imaps://desk:imap-password@mail.example/INBOX',
      ACCOUNTS_TOKEN: 'the-accounts-token',
      SECRET_KEY: 'a-secret-key-of-more-than-32-characters',
    },
  })
  const { text } = await (await service.client('manager')).get('/settings')
  const line = (name: string) => new RegExp(`<dt>${name}<p[\\s\\S]*?(?=<dt>|</dl>)`).exec(text)?.[0] ?? ''
  match(line('Name'), /<dd>Riverside School</)
  // One link for all that is changed on a page; what is not set is folded.
  const [, brand = ''] = /<a href="\/brand">Change under Name and look<([\s\S]*?)<\/details>/.exec(text) ?? []
  match(brand, /<dt>Name<[\s\S]*<dt>Color<[\s\S]*<summary class="quiet">Not set \(\d+\)<[\s\S]*<dt>Logo</)
  equal(text.match(/<a href="\/brand">Change/g)?.length, 1)
  // The value of a default, but the file says it.
  match(
    line('Rejected inquiries that we keep'),
    /<dd>1000<details.*In the settings file.*<code>quarantine\.capacity<\/code><\/p>/,
  )
  match(line('Days in quarantine'), /<dd>30<.*<code>quarantine\.days<\/code>: the file does not say it/)
  match(line('Signs of spam'), /<li>Sent within 3 seconds: 1<\/li>/)
  match(line('School hours'), /<li>Monday: 9 AM to 5 PM<\/li>/)
  match(line('Follow-up of students'), /<li>After 5 minutes of school hours, the counselor gets an email<\/li>/)
  match(line('Students: consent'), /<dd>nothing of your own</)
  match(line('Watched mailbox'), /<dd>imaps:\/\/desk:\*\*\*@mail\.example\/INBOX<[\s\S]*<code>IMAP_URL<\/code>/)
  match(line('Key for the learning site'), /<dd>set, not shown/)
  match(text, /Before production[\s\S]*SMTP_URL is not set/)
  match(text, /<details open>.*Please check[\s\S]*IMAP_URL is set, but mail\.trustedServer is not/)
  for (const secret of ['imap-password', 'the-accounts-token', 'a-secret-key']) ok(!text.includes(secret), secret)
  // A name of a file stands only where someone unfolds it, or in sentences for the person who runs the service.
  const inSight = text.replace(/<details[\s\S]*?<\/details>/g, '').replace(/^[\s\S]*<main/, '')
  doesNotMatch(inSight, /[A-Z]{3,}_[A-Z]+|\b[a-z]+[A-Z][a-zA-Z]*\.[a-z]/)
})

test('a folded topic names the settings that tell what it has', async t => {
  const { text } = await (await (await startConsole(t)).client('manager')).get('/settings')
  for (const names of Object.values(telling)) match(text, new RegExp(`${names.join(', ')} and \\d+ more`))
})

test('every part that managers edit has a line that leads to its page', async t => {
  const service = await startConsole(t)
  const { text } = await (await service.client('manager')).get('/settings')
  for (const { path } of editedPages) match(text, new RegExp(`<a href="${path}">Change under .*<dd>`, 's'))
})

test('the page of the settings is searched by all that a line says', async t => {
  const service = await startConsole(t, { env: { IMAP_URL: 'imaps://desk:imap-password@mail.example/INBOX' } })
  const client = await service.client('manager')
  const found = async (q: string) =>
    [...(await client.get(`/settings?q=${q}`)).text.matchAll(/<dt>([^<]*)</g)].map(([, name]) => name)
  deepEqual(await found('days+QUARANTINE'), ['Days in quarantine'])
  deepEqual(await found('imap_url'), ['Watched mailbox'])
  deepEqual(await found('imap-password'), [])
  match((await client.get('/settings?q=nothing+like+it')).text, /No settings match/)
})
