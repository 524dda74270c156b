/** The links in emails to the staff: they show a lead, or act on it with one button. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { actorName, ownerName, type Roster } from '../../leads/staff.ts'
import { endedByItself } from '../../leads/stages.ts'
import type { Clock } from '../../platform/time.ts'
import type { Links, StaffAction, StaffLink, StaffPurpose } from '../../signed-links.ts'
import type { HandOverResult } from '../../store/handing-over.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { toHttpError } from '../errors.ts'
import type { HttpResponse, Route } from '../router.ts'
import { readForm } from './form.ts'
import type { LinkActions } from './link-actions.ts'
import type { Pages } from './link-pages.ts'
import type { LeadOnPage } from './page-variables.ts'

/** A link that does something: any link but `open`. */
type ActionLink = StaffLink<StaffAction>

type Dependencies = {
  links: Pick<Links, 'readStaff' | 'staff'>
  pages: Pages
  actions: Omit<LinkActions, 'actForStudent'>
  roster: Roster
  clock: Clock
  log: Logger
}

/** GET asks and POST acts, so that programs that open every link change nothing. */
export function staffLinkRoute({ links, pages, actions, clock, log, roster }: Dependencies): Route {
  async function follow(token: string, onAction: (link: ActionLink) => Promise<HttpResponse>) {
    const link = links.readStaff(token, clock.now())
    if (link === undefined) return pages.show('broken', {}, 404)
    if (link.expired) return pages.show('expired', {}, 410)
    const { action } = link
    try {
      if (link.left) return await refuse(link)
      return await (action === 'open' ? show(link) : onAction({ ...link, action }))
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      return unavailable(error)
    }
  }

  /** The link of someone who is no longer on the staff shows what it is about, and does nothing. */
  async function refuse(link: StaffLink): Promise<HttpResponse> {
    const lead = await describe(link)
    return lead === undefined ? gone() : pages.show('left', { lead: { ...lead, url: null } }, 403)
  }

  /** The lead as it is now. There is nothing to do here, so a POST gets the same page. */
  async function show(link: StaffLink): Promise<HttpResponse> {
    const lead = await actions.open(link.subject)
    if (lead === undefined) return gone()
    const stage = endedByItself(lead.reason) ? 'new' : lead.stage
    return pages.show('open', {
      lead: { ...lead, owner: ownerName(lead.owner, roster) },
      contacted_url: stage === 'new' ? urlFrom(link, 'contacted') : null,
      attempted_url: urlFrom(link, 'attempted'),
      assign_url: actions.staff.length > 0 ? urlFrom(link, 'assign') : null,
      not_a_lead_url: stage === 'new' || stage === 'contacted' ? urlFrom(link, 'not-a-lead') : null,
    })
  }

  async function ask(link: ActionLink, problem: string | null = null): Promise<HttpResponse> {
    const lead = await describe(link)
    if (lead === undefined) return gone()
    const choosing = link.action === 'assign'
    const variables = {
      lead,
      actor: nameOf(link.actor),
      counselors: choosing ? await actions.choices() : null,
      chosen: link.actor ?? null,
      people: choosing && link.actor === undefined ? actions.staff : null,
      problem,
    }
    return pages.show(link.action, variables, problem === null ? 200 : 400)
  }

  async function act(link: ActionLink, request: IncomingMessage): Promise<HttpResponse> {
    const { action, subject } = link
    if (action === 'assign') return assign(link, await readForm(request))
    const outcome = await actions.act(action, subject, link.actor)
    return result(link, link.actor, { outcome, standIn: undefined })
  }

  async function assign(link: ActionLink, form: URLSearchParams): Promise<HttpResponse> {
    const choices = await actions.choices()
    const choice = choices.find(({ id }) => id === form.get('counselor'))
    if (choice === undefined) return ask(link, 'Choose who follows up.')
    const actor = link.actor ?? actions.staff.find(({ id }) => id === form.get('actor'))?.id
    return result(link, actor, await actions.assign(link.subject, actor, choice.id))
  }

  async function result(
    link: ActionLink,
    actor: string | undefined,
    { outcome, standIn }: HandOverResult,
  ): Promise<HttpResponse> {
    if (outcome === 'gone') return gone()
    const { action } = link
    const lead = (await describe(link)) ?? null
    const before = outcome === 'before'
    const recorded = !before || (lead !== null && isRecorded(action, lead))
    const stand_in = standIn ? { ...standIn, until: actions.day(standIn.until) } : null
    return pages.show('done', { action, lead, actor: nameOf(actor), before, recorded, stand_in })
  }

  async function describe(link: StaffLink): Promise<LeadOnPage | undefined> {
    const { action, subject } = link
    const lead = await actions.describe(subject, action)
    if (lead === undefined || action === 'release' || action === 'dismiss')
      return lead && { ...lead, owner: null, url: null }
    return { ...lead, owner: ownerName(lead.owner, roster), url: urlFrom(link, 'open') }
  }

  /** Another link about the same lead, in the same name, that expires with this one. */
  const urlFrom = ({ subject, actor, signedAt }: StaffLink, action: StaffPurpose): string =>
    links.staff(action, subject, actor, signedAt)

  /** Null for a team. */
  const nameOf = (actor: string | undefined): string | null =>
    actor === undefined ? null : actorName(actor, roster)

  const gone = (): HttpResponse => pages.show('gone', {}, 404)

  /** The database is away: the same response as everywhere, on a page for people. */
  function unavailable(error: StoreUnavailable): HttpResponse {
    const { status, headers } = toHttpError(error, log)
    const page = pages.show('unavailable', {}, status)
    return { ...page, headers: { ...page.headers, ...headers } }
  }

  return {
    GET: async (_, token) => follow(token, ask),
    POST: async (request, token) => follow(token, link => act(link, request)),
  }
}

const stageAfter: Partial<Record<StaffAction, string>> = {
  contacted: 'contacted',
  release: 'released',
  dismiss: 'dismissed',
}

/**
 * Whether an action that changed nothing was already recorded; if not, the lead is past it. For a
 * closed lead, we do not say whether it was closed as "not a lead".
 */
function isRecorded(action: StaffAction, { stage }: LeadOnPage): boolean {
  if (action === 'attempted' || action === 'assign') return true
  return stage === stageAfter[action]
}
