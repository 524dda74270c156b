/** Adding a lead by hand: someone who called, or who came to a fair. */
import { randomUUID } from 'node:crypto'
import { html, raw } from 'hono/html'
import { enter, enteredFields, requiredFields } from '../../http/entered-inquiry.ts'
import { assignees } from '../../lead-actions/assign.ts'
import { dismissUnfiled } from '../../lead-actions/decide-unfiled.ts'
import { languageFor, languageName } from '../../leads/body/languages.ts'
import { personKeyIn, REACH } from '../../leads/body/person-key.ts'
import { asSentence, type Problem } from '../../leads/body/problems.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { tidy } from '../../leads/body/tidy-text.ts'
import { importFieldNames } from '../../leads/import/list-columns.ts'
import type { Entered } from '../../leads/lead/entered.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { actorName, ownerName, TEAM } from '../../leads/lead/staff.ts'
import type { Draft } from '../../store/leads/drafts.ts'
import { may, maySee } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { checkbox, field, fieldsOf, kindOf, numberOf, option, suggestions } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { kept, keptLine } from '../lead/drafts.ts'
import { fieldsSent } from '../mail/fields-sent.ts'
import { queryOf } from './inbox-filter.ts'

const PATH = '/leads/add'
const ADDED = '/leads/added'

export const addLeadRoutes: ConsoleRoute[] = [
  get(PATH, 'add leads', beginAdding),
  post(PATH, 'add leads', async (c, deps) => addLead(c, deps, await fieldsOf(c))),
  get(ADDED, 'add leads', openAdded),
]

type Fields = Record<string, string | undefined>

async function beginAdding(c: ConsoleContext, deps: ConsoleDeps) {
  const kind = kindOf(c.req.query('kind'))
  const draft = await deps.store.readOwnDraft({ operatorId: c.get('operator').id, kind })
  const unfiled = numberOf(c.req.query('unfiled'))
  const sent = unfiled === undefined ? undefined : await unfiledOf(c, deps, unfiled)
  if (sent !== undefined) return addPage(c, deps, { fields: sent, problems: [] })
  return addPage(c, deps, { fields: { ...draft?.fields, kind }, draft, problems: [] })
}

/** The fields of an inquiry that cannot be filed, for someone who adds it by hand. */
async function unfiledOf(c: ConsoleContext, deps: ConsoleDeps, id: number): Promise<Fields | undefined> {
  if (!may(c.get('operator'), 'decide about quarantine')) return undefined
  const found = await deps.store.readUnfiledEntry(id)
  return found && { ...fieldsSent(found).fields, kind: found.kind, unfiled: String(id) }
}

async function addLead(c: ConsoleContext, deps: ConsoleDeps, fields: Fields) {
  const { clock, settings, networkOf } = deps
  const kind = kindOf(fields['kind'])
  const now = clock.now()
  const person = personIn(fields, settings)
  const known = await openLeadOf(deps, kind, person)
  const entry = {
    kind,
    values: fields,
    cameFrom: fields['cameFrom'] ?? '',
    language: languageFor(fields['language'], settings.languages),
    entered: await enteredBy(c, deps, fields),
    nonce: fields['once'] ?? '',
    clientAddress: networkOf(c.env.incoming),
  }
  const received = await enter(deps.intake, entry, now)
  if (received.outcome === 'invalid') return addPage(c, deps, { fields, problems: received.problems })
  if (received.outcome !== 'accepted') throw new ConsoleError(409, 'This was added already.')
  // If the process dies before the draft is deleted, the draft still has the nonce, so the person is not added twice.
  await deps.store.deleteDraft({ operatorId: c.get('operator').id, kind, leadId: null })
  await dismissAdded(c, deps, numberOf(fields['unfiled']))
  const name = tidy(`${fields['firstName']} ${fields['lastName']}`)
  const added = addedPath({ kind, person, look: 1 })
  if (received.replayed) return redirect(c, added, { text: `${name} is added already.` })
  if (known === undefined) return redirect(c, added, { text: `${name} is added.` })
  const joined = `${name} has an open lead, which this inquiry joins in a moment`
  if (maySee(c.get('operator'), known)) return redirect(c, `/leads/${known.id}`, { text: `${joined}.` })
  const owner = ownerName(known.owner, settings.admissions)
  return redirect(c, '/inbox', { text: `${joined}. ${owner} follows up and is notified.` })
}

/** Dismisses the unfiled inquiry that someone has added by hand. If the process dies before, it is still listed. */
async function dismissAdded(c: ConsoleContext, deps: ConsoleDeps, unfiled: number | undefined): Promise<void> {
  if (unfiled === undefined || !may(c.get('operator'), 'decide about quarantine')) return
  await dismissUnfiled(deps, unfiled, { reason: 'by-hand' }, byOperator(c))
  c.get('frame').mailTrouble.forget()
}

/** `person`: the key of the person. */
type Added = { kind: Kind; person: string; look: number }

const addedPath = ({ kind, person, look }: Added): string =>
  `${ADDED}?${new URLSearchParams({ kind, person, look: String(look) })}`

const personIn = ({ email = '', phone = '' }: Fields, { school }: ConsoleDeps['settings']): string =>
  personKeyIn({ email: tidy(email), phone }, school.country)

/** After this many seconds, the page stops waiting: the service is busy, or the lead no longer exists. */
const MOST_LOOKS = 15

/** Opens the lead that someone has added once it is filed. Until then, the page loads again every second. */
async function openAdded(c: ConsoleContext, deps: ConsoleDeps) {
  const kind = kindOf(c.req.query('kind'))
  const person = c.req.query('person') ?? ''
  const look = numberOf(c.req.query('look')) ?? 1
  const lead = await openLeadOf(deps, kind, person)
  if (lead !== undefined && maySee(c.get('operator'), lead))
    return redirect(c, `/leads/${lead.id}`, { text: `${fullName(lead)} is added.` })
  if (lead !== undefined) {
    const owner = ownerName(lead.owner, deps.settings.admissions)
    return redirect(c, '/inbox', { text: `${fullName(lead)} is added. ${owner} follows up.` })
  }
  const inbox = `/inbox${queryOf({ stage: 'any', q: person })}`
  if (look >= MOST_LOOKS) return redirect(c, inbox)
  c.header('Refresh', `1; url=${addedPath({ kind, person, look: look + 1 })}`)
  return page(
    c,
    { title: 'Added', current: '/inbox' },
    html`<p>The lead opens in a moment, by itself. You do not need to add it again.</p>
<p><a href="${inbox}">Look for it in the inbox</a></p>`,
  )
}

async function openLeadOf({ store }: ConsoleDeps, kind: Kind, person: string) {
  const leads: Lead[] = await store.findLeadsOf(person)
  return leads.find(lead => lead.kind === kind && lead.stage !== 'closed')
}

async function enteredBy(c: ConsoleContext, deps: ConsoleDeps, fields: Fields): Promise<Entered> {
  const { id, actor } = c.get('operator')
  const chosen = (await assignees(deps)).find(({ id }) => id === fields['owner'])
  return {
    by: actor,
    name: actorName(actor, deps.settings.admissions),
    mayWrite: fields['mayWrite'] === 'on',
    reached: fields['reached'] === 'on',
    operator: id,
    ...(chosen && { owner: chosen.id === TEAM ? null : chosen.id }),
  }
}

/** The labels of an imported list, with one exception: the message is called what they said. */
const labels: Record<string, string> = { ...importFieldNames, message: 'What they said' }

const inputTypes: Record<string, string> = { email: 'email', phone: 'tel' }

const EMAIL_HINT =
  'An email address or a phone number is enough. If a caller gives no address, you can add it later, with Correct.'

type Shown = { fields: Fields; problems: readonly Problem[]; draft?: Draft | undefined }

async function addPage(c: ConsoleContext, deps: ConsoleDeps, { fields, problems, draft }: Shown) {
  const kind = kindOf(fields['kind'])
  const other = kind === 'site' ? 'student' : 'site'
  const required: readonly string[] = requiredFields[kind]
  const problemOf = (name: string): string | undefined => {
    const found = problems.find(one => 'field' in one && one.field === name)
    return found && `${asSentence([{ ...found, field: labels[name] ?? name } as Problem])}.`
  }
  const inputs = enteredFields[kind].map(name => {
    const optional = !required.includes(name)
    const label = `${labels[name] ?? name}${optional && !REACH.includes(name) ? ' (optional)' : ''}`
    const shown = { name, label, value: fields[name], problem: problemOf(name) }
    return name === 'message' || name === 'address'
      ? textArea(shown)
      : field({
          ...shown,
          type: inputTypes[name] ?? 'text',
          required: !optional,
          autocomplete: 'off',
          ...(name === 'email' && { hint: EMAIL_HINT }),
        })
  })
  return page(
    c,
    { title: 'Add a lead', current: '/inbox', status: problems.length === 0 ? 200 : 422 },
    html`<p>For someone who called, or someone you met. This is about ${kind === 'site' ? 'an employer or clinical site' : 'a student'}; <a href="${PATH}?kind=${other}">add ${other === 'site' ? 'an employer or clinical site' : 'a student'}</a> instead.</p>
<form method="post" action="${PATH}" class="panel" ${kept(`${PATH}/draft`, draft)}>
${hidden({ kind, once: fields['once'] ?? randomUUID(), ...(fields['unfiled'] && { unfiled: fields['unfiled'] }) })}
${inputs}
${await followUpFields(c, deps, kind, fields)}
<div class="actions"><button>Add the lead</button><a class="button secondary" href="/inbox">Cancel</a></div>
${keptLine(deps, `${PATH}/draft`, draft)}
</form>`,
  )
}

type TextArea = { name: string; label: string; value: string | undefined; problem: string | undefined }

const textArea = ({ name, label, value = '', problem }: TextArea): Html =>
  html`<label for="${name}">${label}</label>
${problem ? html`<p class="problem" id="${name}-problem">${problem}</p>` : ''}
<textarea id="${name}" name="${name}" rows="3"${problem ? raw(` aria-invalid="true" aria-describedby="${name}-problem"`) : ''}>${value}</textarea>`

async function followUpFields(c: ConsoleContext, deps: ConsoleDeps, kind: Kind, fields: Fields): Promise<Html> {
  const { settings, store } = deps
  const choices = await assignees(deps)
  const { sites } = await store.recentOrigins()
  const owner = fields['owner'] ?? c.get('operator').counselor
  const usual = kind === 'site' ? 'The team, as usual' : 'The next counselor, as usual'
  const box = (name: string, words: string) => checkbox(name, words, fields[name] === 'on')
  return html`${field({
    name: 'cameFrom',
    label: 'Where they came from (optional)',
    value: fields['cameFrom'],
    required: false,
    autocomplete: 'off',
    list: 'sites',
    hint: 'Such as: phone call, spring fair, a friend.',
  })}
${suggestions('sites', sites)}
${
  settings.languages.length === 1
    ? ''
    : html`<label for="language">Their language</label><select id="language" name="language">${settings.languages.map(tag => option(tag, languageName(tag), tag === fields['language']))}</select>`
}
${
  choices.length === 0
    ? ''
    : html`<label for="owner">Counselor</label><select id="owner" name="owner">${option('', usual, owner === '')}${choices.map(({ id, name }) => option(id, name, id === owner))}</select>`
}
${box('reached', 'Someone has reached them already')}
${
  kind === 'site'
    ? ''
    : html`${box('mayWrite', 'They asked us to write to them by email')}
<p class="hint">Otherwise, or without an address, they get no receipt and no follow-up emails.</p>`
}`
}
