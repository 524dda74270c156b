/** Shows the lead that a sample of a post would become. Nothing is stored or sent. */
import { html } from 'hono/html'
import type { Settings } from '../../config/settings.ts'
import { postContext } from '../../http/source-posts.ts'
import { consentIn } from '../../leads/body/consent.ts'
import { inquiryOfPost } from '../../leads/source/inquiry-of-post.ts'
import { type SourceField, sourceFieldNames } from '../../leads/source/lead-source.ts'
import { guessMapping } from '../../leads/source/mapping.ts'
import { parsedJson } from '../../platform/json.ts'
import type { Html } from '../frame/layout.ts'
import { asSource, type EnteredSource } from './source-form.ts'

/** The sample as a post; undefined if it is neither JSON nor a form. */
function postIn(sample: string): unknown {
  const text = sample.trim()
  if (/^[[{]/.test(text)) return parsedJson(text)
  return /^[^\s=]+=/.test(text) ? Object.fromEntries(new URLSearchParams(text)) : undefined
}

/** The entered source; if no mapping was entered, with the mapping that the sample suggests. */
export function withGuess(entered: EnteredSource): EnteredSource {
  const post = postIn(entered.sample)
  if (post === undefined || Object.keys(entered.mapping).length > 0) return entered
  return { ...entered, mapping: guessMapping(entered.leadKind, post) }
}

export function tryOutSample(entered: EnteredSource, settings: Settings, now: number): Html {
  const post = postIn(entered.sample)
  const found =
    post === undefined ? undefined : inquiryOfPost(asSource(entered, 'post'), post, postContext(settings, now))
  return html`<section class="panel" id="tried" data-received><h2>What the sample becomes</h2>
<p class="quiet small">Nothing was sent or saved.</p>
${
  found === undefined
    ? html`<p class="problem">Paste a sample first: JSON, or the body of a form such as <code>name=Ana&amp;email=ana@mail.example</code>.</p>`
    : 'problem' in found
      ? html`<p class="problem">This post would be rejected: ${found.problem}.</p>`
      : html`<table class="table"><tbody>${rowsOf(found).map(([label, value]) => html`<tr><th scope="row">${label}</th><td>${value}</td></tr>`)}</tbody></table>`
}</section>`
}

type Inquiry = Exclude<ReturnType<typeof inquiryOfPost>, { problem: string }>

function rowsOf({ body, details, id }: Inquiry): [string, string][] {
  const said = Object.entries(body).flatMap(([name, value]): [string, string][] =>
    name === 'website' || name === 'startedAt' ? [] : [[sourceFieldNames[name as SourceField], String(value)]],
  )
  const consent = consentIn(details)
  return [
    ...said,
    ['Program', details.program ?? 'not said'],
    ['Campaign', details.campaign.campaign ?? 'not said'],
    ['Agreed to calls and texts', consent === undefined ? 'not said' : consent.is === 'given' ? 'yes' : 'no'],
    ['Recognized when it comes again', id === undefined ? 'by its words, for a day' : `by its id, ${id}`],
  ]
}
