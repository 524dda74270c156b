/** The page of the settings: what is in force, where it comes from, and what it never shows. */
import { match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { startConsole } from '../support/console.ts'

test('the page of the settings shows each value with where it comes from, and no password, token or key', async t => {
  const service = await startConsole(t, {
    settings: { school: { name: 'Riverside School' }, quarantine: { capacity: 1000 } },
    env: {
      IMAP_URL: 'imaps://desk:imap-password@mail.example/INBOX',
      ACCOUNTS_TOKEN: 'the-accounts-token',
      SECRET_KEY: 'a-secret-key-of-more-than-32-characters',
    },
  })
  const { text } = await (await service.client('manager')).get('/settings')
  match(text, /<dt>Name<br><code[^>]*>school\.name<\/code><\/dt><dd>Riverside School <span[^>]*>settings file</)
  // The value of a default, but the file sets it.
  match(text, /quarantine\.capacity<\/code><\/dt><dd>1000 <span[^>]*>settings file</)
  match(text, /<dt>Sent within 3 seconds<br><code[^>]*>screening\.weights\.tooFast</)
  match(text, /forms\.student\.consent<\/code><\/dt><dd>nothing of your own <[^>]*>default</)
  match(text, /forms\.site\.consent<\/code><\/dt><dd>none </)
  match(text, /quarantine\.days<\/code><\/dt><dd>30 <span[^>]*>default</)
  match(text, /imaps:\/\/desk:\*\*\*@mail\.example\/INBOX <span[^>]*>set by your IT in the environment</)
  match(text, /ACCOUNTS_TOKEN<\/code><\/dt><dd>set, not shown/)
  match(text, /Before production[\s\S]*SMTP_URL is not set/)
  match(text, /IMAP_URL is set, but mail\.trustedServer is not/)
  for (const secret of ['imap-password', 'the-accounts-token', 'a-secret-key']) ok(!text.includes(secret), secret)
})
