/** The form of a destination: what it is called, what it hears of, and what it is told. */
import { html, raw } from 'hono/html'
import { checkedUrl, ForbiddenUrl } from '../../destinations/guarded-request.ts'
import { isBlank, textProblem, tidy } from '../../leads/body/tidy-text.ts'
import { eventTypes, everyEvent } from '../../leads/lead/lead-events.ts'
import type { Destination } from '../../store/destinations/destinations.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { field, option } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'

export type Entered = Pick<Destination, 'name' | 'leadKind' | 'events' | 'payload'> & { url: string }

/** Every destination hears of `lead.erased`. */
const choices = everyEvent.filter(type => type !== 'lead.erased')

export type Problems = { name?: string | undefined; url?: string | undefined; events?: string | undefined }

export const emptyForm: Entered = { name: '', url: '', leadKind: null, events: choices, payload: 'thin' }

export function enteredIn(form: FormData): Entered {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const kind = text('kind')
  return {
    name: tidy(text('name')),
    url: text('url'),
    leadKind: kind === 'site' || kind === 'student' ? kind : null,
    events: choices.filter(type => form.getAll('events').includes(type)),
    payload: text('payload') === 'full' ? 'full' : 'thin',
  }
}

/** What is wrong with it; undefined if nothing is. A URL that is kept is not checked. */
export function problemsOf(c: ConsoleContext, { name, url, events }: Entered, keepsUrl: boolean): Problems | undefined {
  const problem = isBlank(name) ? 'must not be empty' : name.length > 80 ? 'is too long' : textProblem(name, 'one')
  const problems = {
    name: problem && `The name ${problem}.`,
    url: url === '' && keepsUrl ? undefined : urlProblem(c, url),
    events: events.length === 0 ? 'Choose at least one event.' : undefined,
  }
  return Object.values(problems).some(one => one !== undefined) ? problems : undefined
}

function urlProblem(c: ConsoleContext, url: string): string | undefined {
  if (url.length > 2000) return 'The URL is too long.'
  try {
    checkedUrl(url, c.get('frame').deps.config.destinationNetworks)
    return undefined
  } catch (error) {
    if (error instanceof ForbiddenUrl) return `This URL cannot be used: ${error.message}.`
    throw error
  }
}

/** `host`: of the URL that is kept if none is typed. */
export const formFields = (entered: Entered, problems: Problems = {}, host?: string): Html => html`
${field({ name: 'name', label: 'Name', autocomplete: 'off', value: entered.name, hint: 'Such as the program that it is.', problem: problems.name })}
${field({
  name: 'url',
  label: 'URL',
  autocomplete: 'off',
  value: entered.url,
  required: host === undefined,
  hint:
    host === undefined
      ? 'We send events there. It is stored encrypted, and not shown again.'
      : `It is at ${host}. Leave this empty to keep it.`,
  problem: problems.url,
})}
<label for="kind">Leads</label>
<select id="kind" name="kind">${option('', 'All', entered.leadKind === null)}${option('student', 'Students', entered.leadKind === 'student')}${option('site', 'Employers and partners', entered.leadKind === 'site')}</select>
<fieldset><legend>Events</legend><p class="hint">It always hears of a lead that was erased.</p>${problems.events ? html`<p class="problem">${problems.events}</p>` : ''}
${choices.map(
  type =>
    html`<div class="check"><input type="checkbox" id="${type}" name="events" value="${type}"${entered.events.includes(type) ? raw(' checked') : ''}><label for="${type}"><code>${type}</code> <span class="quiet small">${eventTypes[type]}</span></label></div>`,
)}</fieldset>
<fieldset><legend>What it is told</legend>
${choice('thin', 'Numbers and a link', 'no personal data: it can look the lead up here', entered)}
${choice('full', 'The contact data, too', 'name, address, phone number, company, state, language, campaign', entered)}
</fieldset>`

const choice = (value: Entered['payload'], words: string, more: string, { payload }: Entered): Html =>
  html`<div class="check"><input type="radio" id="payload-${value}" name="payload" value="${value}"${payload === value ? raw(' checked') : ''}><label for="payload-${value}">${words} <span class="quiet small">${more}</span></label></div>`
