/** What insight shows about emails: which follow-up email brought answers, and how all emails were delivered. */
import { html } from 'hono/html'
import type { Settings } from '../../config/settings.ts'
import { templateOf } from '../../follow-up/cadence.ts'
import { type MessageWords, whenInWords } from '../../follow-up/cadence-words.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { capital, share } from '../../leads/body/tidy-text.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import type { EmailResult } from '../../store/insight/cadence-results.ts'
import type { DeliveryHealth } from '../../store/outbox/delivery-health.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'
import { numberTable, numberWith } from '../frame/number-table.ts'
import { bar, legend } from './charts.ts'
import type { InsightRange } from './range.ts'

export type EmailInsight = { results: EmailResult[]; delivery: DeliveryHealth[] }

/** Reads the emails of a range. The figures of delivery count the emails of both kinds of leads. */
export async function readEmailInsight(
  { store, calendar, settings }: Pick<ConsoleDeps, 'store' | 'calendar' | 'settings'>,
  { from, to, kind }: InsightRange,
): Promise<EmailInsight> {
  const results = await store.readCadenceResults({ from, to, kind })
  const span = { from: calendar.startOf(from), until: calendar.midnightAfter(calendar.startOf(to)) }
  return { results: inOrder(results, settings), delivery: await store.readDelivery(span) }
}

/** In the order of the cadences. Steps that are no longer in a cadence come last. */
function inOrder(results: readonly EmailResult[], settings: Settings): EmailResult[] {
  const place = ({ kind, step }: EmailResult): number => {
    const index = settings.followUp[kind].findIndex(({ name }) => name === step)
    return (kind === 'site' ? 1000 : 0) + (index === -1 ? 999 : index)
  }
  return results.toSorted((one, other) => place(one) - place(other) || one.step.localeCompare(other.step))
}

type Section = EmailInsight & {
  settings: Settings
  /** How to name the messages of each kind of lead. */
  messages: Record<Kind, MessageWords>
  file: (table: string) => Html
}

export const emailSections = (section: Section): Html => html`${followUpEmails(section)}${deliveryOf(section)}`

function followUpEmails({ results, settings, messages, file }: Section): Html {
  const title = 'Which follow-up email brought replies'
  if (results.length === 0)
    return html`<section class="panel" id="emails"><h2>${title}</h2><p class="quiet">No follow-up email was sent in these days.</p></section>`
  const email = ({ kind, step: name }: EmailResult) => {
    const step = settings.followUp[kind].find(one => one.name === name)
    if (step === undefined) return html`${name} <span class="quiet">no longer in the cadence</span>`
    const words = messages[kind](templateOf(step) ?? '')
    return html`${capital(whenInWords(step))} <span class="quiet">${words}</span>`
  }
  return html`<section class="panel" id="emails"><div class="section-head"><h2>${title}</h2>${file('emails')}</div>
${numberTable(title, {
  of: 'Email',
  folded: true,
  columns: ['To', 'Sent', 'Replied', 'Unsubscribed', 'Bounced'],
  rows: results.map(result => {
    const { kind, sent, replied, unsubscribed, bounced } = result
    return {
      name: email(result),
      cells: [kindTitles[kind], sent, ...[replied, unsubscribed, bounced].map(n => numberWith(n, share(n, sent)))],
      bar: bar([replied], sent),
    }
  }),
})}
<p class="quiet small">A reply counts for the last email before it, unless someone at the school had written since. “Unsubscribed” includes people who said that it was not them, or reported it as spam. Each email counts on the day on which it was sent.</p></section>`
}

const lateness = ['Within 1 min', '15 min', '1 hour', '1 day', 'Later']
const audiences: Record<DeliveryHealth['audience'], string> = { people: 'To people', staff: 'To the staff' }

function deliveryOf({ delivery, file }: Section): Html {
  const title = 'How emails were delivered'
  if (delivery.every(({ sent, failed }) => sent + failed === 0))
    return html`<section class="panel"><h2>${title}</h2><p class="quiet">No email was sent in these days.</p></section>`
  return html`<section class="panel"><div class="section-head"><h2>${title}</h2>${legend(lateness, 'band')}${file('delivery')}</div>
${numberTable(title, {
  of: 'Emails',
  folded: true,
  columns: ['Sent', ...lateness, 'After a failure', 'Failed'],
  rows: delivery.map(({ audience, sent, bands, retried, failed }) => ({
    name: audiences[audience],
    cells: [sent, ...[...bands, retried].map(n => numberWith(n, share(n, sent))), failed],
    bar: bar(bands, sent, 'band'),
  })),
})}
<p class="quiet small">The time from the moment an email was due until the mail server accepted it. Failed emails were given up or bounced. The emails of both students and sites count here.</p></section>`
}

/** The tables as rows of CSV, by the name of the table. */
export const emailTables = ({ results, delivery }: EmailInsight) => ({
  emails: results.map(({ kind, step, sent, replied, unsubscribed, bounced }) => ({
    Email: step,
    Kind: kind,
    Sent: sent,
    Replied: replied,
    Unsubscribed: unsubscribed,
    Bounced: bounced,
  })),
  delivery: delivery.map(({ audience, sent, bands, retried, failed }) => ({
    Emails: audiences[audience].toLowerCase(),
    Sent: sent,
    ...Object.fromEntries(lateness.map((name, index) => [capital(name), bands[index] ?? 0])),
    'After a failure': retried,
    Failed: failed,
  })),
})
