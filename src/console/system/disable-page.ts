/** Ends someone's sign-in, and asks what to do with their leads and their place on the team. */
import { html, raw } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { takersOf } from '../../lead-actions/assign.ts'
import { handOver } from '../../lead-actions/hand-over.ts'
import { withdrawEmails } from '../../lead-actions/withdraw-emails.ts'
import { inDigits } from '../../leads/body/tidy-text.ts'
import { actorName, MANAGER } from '../../leads/lead/staff.ts'
import { stageName } from '../../leads/lead/stages.ts'
import type { Operator } from '../../store/operators/operators.ts'
import { DRAFT_DAYS } from '../../tasks/expiry-of-data.ts'
import { signedIn } from '../frame/access.ts'
import { auditEntries, byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { redirect } from '../frame/flash.ts'
import { formOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { endSignIn, planFrom, removeFromTeam, whoGetsThem } from '../team/hand-over-form.ts'
import { readAbsences } from '../team/team-absences.ts'
import { countLeadsOf, dutiesInWords, leadsInWords, leadsOf, readWorkload } from '../team/workload.ts'
import { versionInForce } from '../versions/edited-page.ts'
import { otherOperator } from './other-operator.ts'

const PATH = '/operators/:id{[0-9]{1,15}}/disable'
const MANAGE = 'manage operators'

export const disableRoutes: ConsoleRoute[] = [
  get(PATH, MANAGE, async (c, deps) => disablePage(c, deps, await otherOperator(c))),
  post(PATH, MANAGE, async (c, deps) => disable(c, deps, await otherOperator(c), await formOf(c))),
]

async function disablePage(c: ConsoleContext, deps: ConsoleDeps, operator: Operator, problem?: string) {
  const { name } = operator
  const { counselor: member, actor } = signedIn(operator, deps.settings)
  return page(
    c,
    { title: `Disable ${name}`, current: '/operators', status: problem === undefined ? 200 : 422 },
    html`<form method="post" class="panel">
<p>${name} can then no longer sign in. Their sessions end immediately; what they did stays.</p>
${await tokensOf(deps, operator)}
${await draftsOf(deps, operator)}
${await emailsOf(deps, { actor, operatorId: operator.id, leaves: member === undefined })}
${member === undefined ? '' : await ofTheTeam(deps, { name, member }, problem)}
<div class="actions"><button class="danger">Disable ${name}</button><a class="button secondary" href="/operators">Cancel</a></div>
</form>`,
  )
}

/**
 * The tokens of programs that act for this person. After this, these programs can do nothing more, but they still get
 * the events to which they have subscribed.
 */
async function tokensOf({ store, clock }: ConsoleDeps, { id }: Operator): Promise<Html | ''> {
  const tokens = await store.countTokensOf(id, clock.now())
  if (tokens === 0) return ''
  const act =
    tokens === 1
      ? 'One token acts for them, and stops working'
      : `${inDigits(tokens)} tokens act for them, and stop working`
  return html`<p>${act}: make another for its program first, under <a href="/tokens">Tokens</a>. Subscriptions that were made with a token continue until you revoke the token.</p>`
}

/** The person's drafts, which are not handed over with their leads. */
async function draftsOf({ store }: ConsoleDeps, { id, name }: Operator): Promise<Html | ''> {
  const { leads, newLeads } = await store.countDrafts(id)
  const some = (count: number) => (count === 1 ? 'one draft' : `${inDigits(count)} drafts`)
  const words = [
    ...(leads === 0
      ? []
      : [`${some(leads)} of an email or a note: everyone who works on the lead sees it there, and can use it`]),
    ...(newLeads === 0 ? [] : [`${some(newLeads)} of a new lead, which no one else sees: ask for it first`]),
  ]
  return words.length === 0
    ? ''
    : html`<p>${name} leaves ${words.join('; and ')}. Drafts are deleted after ${DRAFT_DAYS} days.</p>`
}

/** How many scheduled emails the page lists. */
const MOST_EMAILS = 20

/** The emails that wait to be sent in the person's name. `leaves`: whether they leave in any case. */
async function emailsOf(
  { store, clock, settings }: ConsoleDeps,
  { leaves, ...author }: { actor: string; operatorId: number; leaves: boolean },
): Promise<Html | ''> {
  const emails = await store.listScheduledMessages({ ...author, limit: MOST_EMAILS + 1 })
  if (emails.length === 0) return ''
  const moment = createShortDateFormat(settings.school)
  const items = emails
    .slice(0, MOST_EMAILS)
    .map(
      ({ leadId, name, dueAt }) => html`<li><a href="/leads/${leadId}">${name}</a>, ${moment(dueAt, clock.now())}</li>`,
    )
  const then = leaves ? 'They are not sent: they become' : 'If the person leaves, they are not sent, but become'
  return html`<p>These emails wait to be sent in their name. ${then} drafts on the pages of these leads, and the counselors of the leads are notified.</p>
<ul>${items}${emails.length > MOST_EMAILS ? html`<li>and more</li>` : ''}</ul>`
}

type Member = { name: string; member: string }

/** How much work someone on the team has, and the choices for it. */
async function ofTheTeam(deps: ConsoleDeps, { name, member }: Member, problem: string | undefined): Promise<Html> {
  const { store, clock, calendar } = deps
  const workload = await readWorkload(deps, member)
  const all = leadsOf(workload)
  const has = await store.readDuties(member)
  const duties = dutiesInWords(has)
  const inStages = has.stages.map(({ stage, leads }) => `${inDigits(leads)} ${stageName(stage)}`).join(', ')
  const today = calendar.today(clock.now())
  const choice = (value: string, words: Html | string, checked = false) =>
    html`<p class="check"><input type="radio" id="after-${value}" name="after" value="${value}"${checked ? raw(' checked') : ''}><label for="after-${value}">${words}</label></p>`
  return html`${hidden({ version: versionInForce('team', deps) })}
<p>${name} is ${member === MANAGER ? 'the manager' : 'on the team'} and has ${leadsInWords(workload, ` (${inStages})`)}.${duties} Someone who cannot sign in gets no new leads, no reminders and no emails.</p>
<fieldset><legend>What to do with ${all === 0 ? 'their place on the team' : 'their leads'}</legend>
${problem === undefined ? '' : html`<p class="problem">${problem}</p>`}
${choice('leaves', all === 0 ? 'They leave: remove them from the team' : 'They leave: hand over their leads, and remove them from the team', true)}
${all === 0 ? '' : whoGetsThem(deps, member, await readAbsences(deps))}
${
  member === MANAGER
    ? ''
    : html`${choice('away', html`They come back: enter them as away from today. ${meanwhile(deps, member)}`)}
<p class="check"><label for="until">Back after</label> <input type="date" id="until" name="until" min="${today}" value="${today}"></p>`
}
${choice('sign-in', `Only the sign-in ends, and everything else stays as it is. ${member === MANAGER ? 'The team gets the emails that would go to the manager.' : meanwhile(deps, member)}`)}
</fieldset>`
}

/** Who gets the reminders of someone who cannot sign in. */
function meanwhile({ settings }: ConsoleDeps, member: string): string {
  const { counselors } = settings.admissions
  const backup = counselors.find(({ id }) => id === member)?.backup
  const standIn = takersOf(settings).find(({ id }) => id === backup)
  return `Their leads stay with them; reminders go to ${standIn?.name ?? 'the team'}.`
}

async function disable(c: ConsoleContext, deps: ConsoleDeps, operator: Operator, form: FormData) {
  const { name } = operator
  const { counselor: member, actor } = signedIn(operator, deps.settings)
  const after = member === undefined ? 'sign-in' : form.get('after')
  const leads = member === undefined ? 0 : await countLeadsOf(deps, member)
  const duties = member === undefined ? '' : dutiesInWords(await deps.store.readDuties(member))
  const plan = member !== undefined && after === 'leaves' && leads > 0 ? planFrom(form, member, deps) : undefined
  const until = String(form.get('until') ?? '')
  const today = deps.calendar.today(deps.clock.now())
  if (typeof plan === 'string') return disablePage(c, deps, operator, plan)
  if (after === 'away' && !(until >= today)) {
    return disablePage(c, deps, operator, 'Enter the last day on which they are away: today or later.')
  }
  if (member !== undefined && after === 'leaves') await removeFromTeam(c, deps, { id: member, name }, form)
  await endSignIn(c, deps, operator)
  if (member === undefined || after === 'leaves')
    await withdrawEmails(deps, { actor, operatorId: operator.id }, byOperator(c))
  if (member !== undefined && after === 'away') await enterAbsence(c, deps, { name, member }, [today, until])
  const work = after === 'leaves' ? duties : leads === 0 || member === undefined ? '' : ` ${meanwhile(deps, member)}`
  const text = `${name} can no longer sign in.${work}${ofThoseLeft(deps)}`
  if (member === undefined || plan === undefined) return redirect(c, '/operators', { text })
  const fromName = actorName(member, deps.settings.admissions)
  const begun = await handOver(deps, { from: member, fromName, plan, leads }, byOperator(c))
  // If a hand-over of this person's leads is already under way, it moves all of them.
  return redirect(c, begun.outcome === 'before' ? '/team' : `/team/hand-overs/${begun.id}`, { text })
}

async function enterAbsence(
  c: ConsoleContext,
  { store }: ConsoleDeps,
  { name, member }: Member,
  [firstDay, lastDay]: [string, string],
): Promise<void> {
  const audit = auditEntries(c, 'recorded an absence', { detail: `${name}, ${firstDay} to ${lastDay}` })
  await store.addAbsence({ counselor: member, firstDay, lastDay, createdBy: c.get('operator').name, audit })
}

/** A warning if no one on the team can get a lead. */
const ofThoseLeft = ({ settings, config }: ConsoleDeps): string =>
  takersOf(settings).length > 0
    ? ''
    : ` No one on the team can get leads now: new ones go to ${config.admissionsEmail}.`
