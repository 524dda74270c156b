/** The page of an export about a person. It can be read without our programs and without a network. */
import { html, raw } from 'hono/html'
import { capital } from '../leads/body/tidy-text.ts'
import type { Fact } from './person-facts.ts'

/** `at` is the moment in ISO 8601, `asOf` in words. */
export type About = { school: string; person: string; at: string; asOf: string }

/** One stored thing, with its section, and what the page says about it. */
export type Stored = { section: Section; item: object; facts: readonly Fact[] }
export type Section = 'leads' | 'callbacks' | 'inquiries' | 'timeline' | 'emails' | 'drafts' | 'other' | 'looks'

export const leftOut: readonly { what: string; why: string }[] = [
  {
    what: 'Keyed hashes of the address',
    why: 'no one can read the address from them. This page says above whether the address is suppressed.',
  },
  {
    what: 'Notifications and reminders to the staff',
    why: 'they repeat what is above. The timeline says when they were sent.',
  },
  {
    what: 'Words to search by, counts, and digests of messages for finding spam',
    why: 'they are made from what is above, and contain nothing else.',
  },
  {
    what: 'The names of staff who looked at the data',
    why: 'they are about the staff. This page says above when someone looked.',
  },
  {
    what: 'Backups, logs of mail servers, and emails in mailboxes',
    why: 'they are not in this database. The person who runs Frontdesk knows about them.',
  },
]

const titles: Record<Section, string> = {
  leads: 'Leads: how the school follows up',
  callbacks: 'Calls that someone promised, and that are still to come',
  inquiries: 'Inquiries, as they were sent',
  timeline: 'What happened',
  emails: 'Emails to them',
  drafts: 'What someone has typed and not sent or saved yet',
  other: 'Further',
  looks: 'When staff opened or changed it in the console',
}

export async function* personPage(
  { school, person, asOf }: About,
  stored: AsyncIterable<Stored>,
): AsyncGenerator<string> {
  yield String(
    html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What ${school} has stored about ${person}</title><style>${raw(STYLE)}</style></head><body>
<h1>What ${school} has stored about ${person}</h1>
<p>As of ${asOf}. The same, with ids and codes, is in person.json, for programs; attachments of emails are in the folder attachments. <strong>For the school:</strong> read it before you pass it on. It contains notes and the names of colleagues.</p>`,
  )
  let current: Section | undefined
  for await (const { section, facts } of stored) {
    if (section !== current) yield `${current === undefined ? '' : '</section>'}<section><h2>${titles[section]}</h2>`
    current = section
    yield String(html`<article>${list(facts)}</article>\n`)
  }
  if (current === undefined) yield '<section><p>Nothing is stored.</p>'
  yield String(
    html`${raw('</section>')}<section><h2>What was left out, and why</h2><dl>${leftOut.map(
      ({ what, why }) => html`<dt>${what}</dt><dd>${capital(why)}</dd>`,
    )}</dl></section></body></html>\n`,
  )
}

const list = (facts: readonly Fact[]) =>
  html`<dl>${facts
    .filter(([, value]) => value !== null && value !== '')
    .map(([label, value]) => html`<dt>${label}</dt><dd dir="auto">${value}</dd>`)}</dl>`

const STYLE = `body{color:#1c1c1c;font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:50rem;padding:0 1rem}
h1{font-size:1.5rem;overflow-wrap:anywhere}h2{border-bottom:1px solid #bbb;font-size:1.15rem;margin-top:2.5rem}
article{border-bottom:1px solid #ddd;padding:.5rem 0}dl{display:grid;gap:.15rem 1rem;grid-template-columns:minmax(7rem,max-content) minmax(0,1fr);margin:0}
dt{color:#555}dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}@media(max-width:30rem){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}
@media(prefers-color-scheme:dark){body{background:#151515;color:#eee}dt{color:#aaa}article,h2{border-color:#444}}`
