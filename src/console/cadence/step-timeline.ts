/** The steps of a cadence as a timeline: when each step is due, who gets it, and its message with a preview. */
import { html } from 'hono/html'
import type { Settings } from '../../config/settings.ts'
import { ROOT_LANGUAGE } from '../../content/content-files.ts'
import { type Cadence, type Recipient, recipientOf, type Step, templateOf, trackOf } from '../../follow-up/cadence.ts'
import { cadenceWarnings } from '../../follow-up/cadence-warnings.ts'
import {
  effectInWords,
  type MessageWords,
  recipients,
  stepInWords,
  whenInWords,
} from '../../follow-up/cadence-words.ts'
import { languageName } from '../../leads/body/languages.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { reasonName } from '../../leads/lead/stages.ts'
import type { StepMessage } from '../../mail/step-messages.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'
import { previewSwitches } from '../frame/preview-switches.ts'

/** A recipient in words. If it is the manager and there is none, the words say who gets the message instead. */
export const recipientInWords = (to: Recipient | 'chat', { admissions }: Settings): string =>
  to === 'manager' && admissions.manager === undefined ? 'the team (there is no manager)' : recipients[to]

/** What a manager should know about a valid cadence: what is unwise, and what is not sent. Each is one sentence. */
export function considerations(kind: Kind, cadence: Cadence, { school, followUp }: Settings): string[] {
  const isUnsent = school.postalAddress === undefined && cadence.some(step => trackOf(step) === 'student')
  const unsent =
    'The emails to the student are not sent: by law they need the postal address of the school, which is missing. The person who runs Frontdesk can set it (school.postalAddress).'
  return [...(isUnsent ? [unsent] : []), ...cadenceWarnings(kind, cadence, followUp.quietHours)]
}

/** The whole timeline, with messages that are sent immediately and cannot be edited, and a preview of each message. */
export function timelineOf(
  kind: Kind,
  cadence: Cadence,
  { settings, messages }: { settings: Settings; messages: readonly StepMessage[] },
): Html {
  const atOnce =
    kind === 'site'
      ? 'The partnerships team is notified.'
      : 'The counselor, or the team, is notified. The student gets a receipt.'
  return html`<ol class="cadence-steps">
<li class="staff"><p class="when">At once</p><div><p>${atOnce}</p></div></li>
${cadence.map((step, i) => timelineItem(kind, step, i, { settings, messages }))}
${cadence.length === 0 ? html`<li class="end"><p class="when">Then</p><div><p>Nothing: this cadence has no steps.</p></div></li>` : ''}
</ol>`
}

function timelineItem(
  kind: Kind,
  step: Step,
  i: number,
  { settings, messages }: { settings: Settings; messages: readonly StepMessage[] },
): Html {
  const to = recipientOf(step)
  const file = templateOf(step)
  const found = messages.find(one => one.file === file)
  const subject = found && 'subject' in found ? html` “${found.subject}”` : ''
  const problem = found && 'problem' in found ? found.problem : undefined
  const what =
    to === undefined
      ? endInWords(kind, settings)
      : html`<strong>${capital(recipientInWords(to, settings))}</strong> ${to === 'chat' ? 'are notified that someone is waiting' : 'gets'}${subject}`
  return html`<li class="${trackOf(step)}"><p class="when">${capital(whenInWords(step))}</p><div><p>${what}</p>
${problem === undefined ? '' : html`<p class="problem">This message cannot be sent: ${problem}</p>`}${file === undefined ? '' : preview({ kind, file, id: `preview-${i}`, name: stepInWords(step), languages: to === 'student' ? settings.languages : [] })}</div></li>`
}

/** What the last step does. A lead that no one tried to reach stays open longer, and someone is warned first. */
function endInWords(kind: Kind, settings: Settings): string {
  const warned = kind === 'student' ? recipientInWords('manager', settings) : recipients.team
  return `The lead is closed as “no reply”. If no one has tried to reach the person by then, we warn ${warned} on the morning of the next school day, and close the lead as “${reasonName('never contacted')}” one school day later, unless someone has tried.`
}

type Preview = { kind: Kind; file: string; id: string; name: string; languages: readonly string[] }

/** A preview of a step's message, loaded when it is unfolded. `name` is the name of the step, `id` of the frame. */
export function preview({ kind, file, id, name, languages }: Preview): Html {
  const [first = ROOT_LANGUAGE] = languages
  const url = (language: string) => `/cadence/message?${new URLSearchParams({ kind, file, language, theme: 'light' })}`
  return html`<details class="preview"><summary>Preview<span class="hidden"> the message of ${name}</span></summary>
<div class="preview-choices">${previewSwitches(languages, `-${id}`)}</div>
<noscript><p class="small">${languages.map(one => html`<a href="${url(one)}" target="${id}">${languageName(one)}</a> `)}</p></noscript>
<iframe name="${id}" loading="lazy" src="${url(first)}" title="The message of ${name}, as an invented person would see it"></iframe></details>`
}

/** The steps in a few words, for comparing versions. */
export const stepsInShort = (cadence: Cadence, messageInWords: MessageWords): Html | string =>
  cadence.length === 0
    ? 'No steps.'
    : html`<ol class="groups">${cadence.map(
        step => html`<li>${capital(whenInWords(step))}, ${effectInWords(step, messageInWords)}</li>`,
      )}</ol>`

/** Names a message by the subject of an example, or by its file if the message cannot be sent. */
export function messageInWords({ stepMessages }: Pick<ConsoleDeps, 'stepMessages'>, kind: Kind): MessageWords {
  const messages = stepMessages.list(kind)
  return file => {
    const found = messages.find(one => one.file === file)
    return found !== undefined && 'subject' in found ? `“${found.subject}”` : file
  }
}
