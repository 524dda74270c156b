/** Correcting a mistyped email address or phone number of a lead, or the language in which we write to the person. */
import { html, raw } from 'hono/html'
import { correct as correctContact } from '../../lead-actions/correct.ts'
import { obstacleToWriting } from '../../lead-actions/write-email.ts'
import { languageName } from '../../leads/body/languages.ts'
import { correctionInWords } from '../../leads/lead/corrections.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import type { Corrected, EmailToPerson } from '../../store/actions/correct-lead.ts'
import { maySee, mayWork } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { redirect } from '../frame/flash.ts'
import { checkbox, field, formOf, numberOf, option } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { undoOf } from './lead-page.ts'
import { noLead, readLeadFor } from './view.ts'

const PATH = '/leads/:id{[0-9]{1,15}}/correct'

export const correctRoutes: ConsoleRoute[] = [
  get(PATH, 'correct contact data', showForm),
  post(PATH, 'correct contact data', saveForm),
]

async function showForm(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  return correctPage(c, deps, lead, { email: lead.email ?? '', phone: lead.phone ?? '', language: lead.language })
}

async function saveForm(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  return correct(c, deps, lead, await formOf(c))
}

async function correct(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, form: FormData) {
  const { settings } = deps
  const language = settings.languages.find(one => one === form.get('language'))
  const typed = {
    email: String(form.get('email') ?? ''),
    phone: String(form.get('phone') ?? ''),
    language: language ?? lead.language,
  }
  const again = form.getAll('again').map(Number).filter(Number.isSafeInteger)
  const by = byOperator(c, numberOf(String(form.get('seen'))))
  const result = await correctContact(deps, lead, { ...typed, language, again }, by)
  if (result.outcome === 'invalid') return correctPage(c, deps, lead, { ...typed, problems: result.problems })
  if (result.outcome === 'gone') throw noLead()
  if (result.outcome === 'stale') return correctPage(c, deps, lead, { ...typed, problems: { email: STALE } })
  if (result.outcome === 'taken') return takenPage(c, deps, lead, result)
  const path = `/leads/${lead.id}`
  if (result.outcome === 'before') return redirect(c, path, { text: 'Nothing changed.' })
  const obstacle = await obstacleToWriting(deps, result.lead)
  const but = obstacle === undefined ? '' : ` No email can be sent there: ${obstacle}.`
  const { email, phone } = result.lead
  const text = `Corrected. ${correctionInWords(lead, { email, phone, language }).replaceAll('\n', '. ')}.${but}`
  return redirect(c, path, { text, undo: undoOf(result) })
}

const STALE =
  'Someone else has changed this lead in the meantime. Look at its page; if this still makes sense, save again.'

type Shown = {
  email: string
  phone: string
  language: string | null
  problems?: Partial<Record<'email' | 'phone', string>>
}

async function correctPage(
  c: ConsoleContext,
  deps: ConsoleDeps,
  lead: Lead,
  { email, phone, language, problems }: Shown,
) {
  const emails = await deps.store.listEmailsToPerson(lead)
  const { version: seen } = await deps.store.countHistory(lead.id)
  const name = fullName(lead)
  return page(
    c,
    { title: `Correct how to reach ${name}`, current: '/inbox', status: problems === undefined ? 200 : 422 },
    html`<p class="back"><a href="/leads/${lead.id}">Back to ${name}</a></p>
<form method="post" action="/leads/${lead.id}/correct" class="panel">
${hidden({ seen })}<p class="quiet">What they sent stays as they wrote it. The timeline shows the old and the new${lead.owner === c.get('operator').actor ? '' : ', and we notify the counselor'}.</p>
${field({ name: 'email', label: 'Email', type: 'email', value: email, problem: problems?.email })}
${field({ name: 'phone', label: 'Phone', type: 'tel', value: phone, problem: problems?.phone })}
${languageField(language, deps.settings.languages)}
${emails.length === 0 ? '' : await againFields(deps, emails)}
<div class="actions"><button>Save</button></div>
</form>`,
  )
}

/** If there is only one language, the field is left out. A language not in the settings stays until it is changed. */
function languageField(language: string | null, languages: readonly string[]): Html {
  const [first = 'en'] = languages
  if (languages.length < 2) return html``
  const known = language !== null && languages.includes(language)
  const now = `${language === null ? 'Not known' : languageName(language)} (we write in ${languageName(first)})`
  return html`<label for="language">Language of our emails to them</label><select id="language" name="language" aria-describedby="language-note">${known ? '' : option('', now, true)}${languages.map(tag => option(tag, languageName(tag), tag === language))}</select>
<p class="quiet small" id="language-note">If they send a form in another language later, we write in that one.</p>`
}

/** The emails that went to the old address; the ones that failed are ticked. */
async function againFields({ conversations }: ConsoleDeps, emails: readonly EmailToPerson[]): Promise<Html> {
  const items = await Promise.all(
    emails.map(async ({ task, failed }) => {
      const message = await conversations.messageOf(task)
      const subject = 'content' in message ? message.content.subject : 'Email'
      const what = failed ? 'which did not arrive' : 'which was sent'
      return checkbox('again', html`${subject}<span class="quiet">, ${what}</span>`, failed, { value: task.id })
    }),
  )
  return html`<fieldset><legend>Send again to the new email address</legend>${items}</fieldset>`
}

async function takenPage(
  c: ConsoleContext,
  { store, settings }: ConsoleDeps,
  lead: Lead,
  { by }: Extract<Corrected, { outcome: 'taken' }>,
) {
  const other = await store.findLead(by)
  const name = fullName(lead)
  const owner = ownerName(other?.owner ?? null, settings.admissions)
  const mine = other !== undefined && mayWork(c.get('operator'), other)
  const them =
    other !== undefined && maySee(c.get('operator'), other)
      ? html`<a href="/leads/${by}">lead ${by}</a>`
      : html`lead ${by}`
  return page(
    c,
    { title: 'They have another open lead', current: '/inbox', status: 409 },
    html`<div class="panel"><p>Nothing was changed. The person with this address has another open lead, ${them} (counselor: ${owner}), and no one should get everything twice.</p>
<p>If both are the same person, ${mine ? 'merge them' : 'close this one as a duplicate, or ask a manager to merge them'}.</p>
<form method="post" action="/leads/${lead.id}" class="actions">${hidden({ reason: 'duplicate' })}${mine ? html`<a class="button" href="/leads/${lead.id}/merge?with=${by}">Compare and merge them</a>` : ''}<button name="do" value="close"${mine ? raw(' class="secondary"') : ''}>Close lead ${lead.id} as a duplicate</button>
<a class="button secondary" href="/leads/${lead.id}/correct">Back to ${name}</a></form></div>`,
  )
}
