/** The links in emails to the staff: they show a lead, or act on it with one button. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { LeadOnPage, LinkSubject } from '../../lead-details/link-subject.ts'
import { actorName, type Roster, TEAM_MEMBER } from '../../leads/lead/staff.ts'
import type { Clock } from '../../platform/time.ts'
import type { Links, StaffAction, StaffLink, StaffPurpose } from '../../signed-links.ts'
import { StoreUnavailable } from '../../store/acceptance/store-unavailable.ts'
import { readBytes } from '../body.ts'
import { toHttpError } from '../errors.ts'
import type { HttpResponse, Route } from '../router.ts'
import { isAboutLead, type LinkActions } from './link-actions.ts'
import type { LeftPage } from './link-page-variables.ts'
import type { Pages } from './link-pages.ts'
import { isForm, leadPage } from './linked-lead-page.ts'

/** A link with a button that acts on a lead, or on a quarantined submission. */
type ActionLink = StaffLink<StaffAction>

/** What the page before an action depends on: a problem with the choice, or the page of the history it shows. */
type Asked = { problem?: string | null; before?: number | undefined }

type StaffLinkServices = {
  links: Pick<Links, 'readStaff' | 'staff'>
  pages: Pages
  actions: LinkActions
  roster: Roster
  clock: Clock
  log: Logger
}

/** GET asks and POST acts, so that programs that open every link change nothing. */
export function staffLinkRoute({ links, pages, actions, clock, log, roster }: StaffLinkServices): Route {
  async function follow(
    token: string,
    onValid: (link: StaffLink) => Promise<HttpResponse>,
    onExpired: (link: StaffLink) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const link = links.readStaff(token, clock.now())
    if (link === undefined) return pages.show('broken', {}, 404)
    try {
      if (await actions.isOfAnother(link)) return gone()
      const obstacle = link.left ? 'left' : await actions.obstacleTo(link)
      if (obstacle !== undefined) return await refuse(link, obstacle)
      if (link.expired) return await onExpired(link)
      return await onValid(link)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      return unavailable(error)
    }
  }

  /**
   * The page for someone who is no longer on the staff, no longer follows up the lead, or is a viewer. It says who
   * follows it up, changes nothing, and shows nothing that they may not know.
   */
  async function refuse(link: StaffLink, why: LeftPage['why']): Promise<HttpResponse> {
    if (link.expired) return pages.show('expired', { recipient: null }, 410)
    const found = await describe(link)
    if (found === undefined) return gone()
    const console_path = found.leadId === null ? null : `/leads/${found.leadId}`
    return pages.show('left', { lead: { ...found.lead, url: null }, why, console_path }, 403)
  }

  /** An expired link can only be replaced, by an email to the person who had it. */
  async function offerFreshLink(link: StaffLink): Promise<HttpResponse> {
    const recipient = isAboutLead(link) && (await describe(link)) ? recipientOf(link) : null
    return pages.show('expired', { recipient }, 410)
  }

  async function sendFreshLink(link: StaffLink): Promise<HttpResponse> {
    if (!isAboutLead(link)) return offerFreshLink(link)
    const outcome = await actions.freshLink(link.subject, link.actor)
    if (outcome === 'gone') return gone()
    const done = outcome === 'done'
    return pages.show('fresh-link', { recipient: recipientOf(link), done })
  }

  async function ask(link: StaffLink, { problem = null, before }: Asked = {}): Promise<HttpResponse> {
    const { action, actor } = link
    if (action === 'open' || isForm(action)) return lead.show(link, { before })
    const found = await describe(link)
    if (found === undefined) return gone()
    const footer = footerOf(link)
    if (action === 'undo' || action === 'undismiss') return pages.show(action, { lead: found.lead }, 200, footer)
    const choosing = action === 'assign'
    const variables = {
      lead: found.lead,
      actor: nameOf(actor),
      counselors: choosing ? await actions.choices() : null,
      chosen: actor ?? null,
      people: choosing && actor === undefined ? actions.staff() : null,
      problem,
    }
    return pages.show(action, variables, problem === null ? 200 : 400, footer)
  }

  async function act(link: StaffLink, request: IncomingMessage): Promise<HttpResponse> {
    const { action, subject, actor } = link
    if (action === 'open') return lead.show(link)
    if (isForm(action)) return lead.submit(link, action, await readForm(request))
    if (action === 'assign') return assign({ ...link, action }, await readForm(request))
    if (action === 'undo' || action === 'undismiss') return undo(link, action)
    const outcome = await actions.act(action, subject, actor)
    return result({ ...link, action }, actor, { outcome, standIn: undefined })
  }

  async function assign(link: ActionLink, form: URLSearchParams): Promise<HttpResponse> {
    const choices = await actions.choices()
    const choice = choices.find(({ id }) => id === form.get('counselor'))
    if (choice === undefined) return ask(link, { problem: 'Choose who follows up.' })
    const actor = link.actor ?? actions.staff().find(({ id }) => id === form.get('actor'))?.id
    return result(link, actor, await actions.assign(link.subject, actor, choice.id))
  }

  async function undo(link: StaffLink, purpose: 'undo' | 'undismiss'): Promise<HttpResponse> {
    const outcome = await actions.undo(purpose, link.subject, link.actor)
    const found = await describe(link)
    if (outcome === 'gone' || found === undefined) return gone()
    const done = outcome === 'done'
    return pages.show('undone', { lead: found.lead, done }, 200, footerOf(link))
  }

  async function result(
    link: ActionLink,
    actor: string | undefined,
    { outcome, standIn }: Awaited<ReturnType<LinkActions['assign']>>,
  ): Promise<HttpResponse> {
    const found = await describe(link)
    if (outcome === 'gone' || found === undefined) return gone()
    const { action } = link
    // If the lead is a duplicate, the page says that it stays closed.
    const before = outcome === 'before' || outcome === 'duplicate'
    const variables = {
      action,
      lead: found.lead,
      actor: nameOf(actor),
      before,
      recorded: !before || isRecorded(action, found),
      last: before ? found.last : null,
      undo_url: before ? null : undoUrl(link, actor, found),
      stand_in: standIn ? { ...standIn, until: actions.day(standIn.until) } : null,
    }
    return pages.show('done', variables, 200, footerOf(link))
  }

  function undoUrl(link: ActionLink, actor: string | undefined, found: LinkSubject): string | null {
    const { subject, action, signedAt } = link
    if (action === 'dismiss') return links.staff('undismiss', subject, actor, signedAt)
    const { undoable } = found
    if (undoable === null || undoable.actor !== (actor ?? TEAM_MEMBER)) return null
    return links.staff('undo', undoable.id, actor, signedAt)
  }

  async function describe(link: StaffLink): Promise<(LinkSubject & { lead: LeadOnPage }) | undefined> {
    const found = await actions.describe(link.subject, link.action)
    if (found === undefined) return undefined
    const { leadId } = found
    const url = leadId === null ? null : urlFrom({ ...link, subject: leadId }, 'open')
    return { ...found, lead: { ...found.lead, url } }
  }

  /** The person for an expired link, in words: the one who had it. */
  const recipientOf = ({ actor }: StaffLink): string => nameOf(actor) ?? 'the team'

  /** Another link about the same lead, in the same name, that expires with this one. */
  const urlFrom = ({ subject, actor, signedAt }: StaffLink, action: StaffPurpose): string =>
    links.staff(action, subject, actor, signedAt)

  /** The name of the person who acts; null for a team. */
  const nameOf = (actor: string | undefined): string | null => (actor === undefined ? null : actorName(actor, roster))

  const footerOf = (link: StaffLink) => ({ actor: nameOf(link.actor), until: actions.lastDay(link) })

  const gone = (): HttpResponse => pages.show('gone', {}, 404)

  const lead = leadPage({ pages, actions, roster, urlFrom, footerOf, gone })

  /** The database is unavailable: the usual response, as a page for people. */
  function unavailable(error: StoreUnavailable): HttpResponse {
    const { status, headers } = toHttpError(error, log)
    const page = pages.show('unavailable', {}, status)
    return { ...page, headers: { ...page.headers, ...headers } }
  }

  return {
    GET: async (request, token) => follow(token, link => ask(link, { before: entryIn(request.url) }), offerFreshLink),
    POST: async (request, token) => follow(token, link => act(link, request), sendFreshLink),
  }
}

/** The entry before which an older page of a lead's history ends. Without a valid one, the newest page is shown. */
function entryIn(url = ''): number | undefined {
  const before = new URLSearchParams(url.split('?')[1]).get('before') ?? ''
  return /^[1-9]\d{0,14}$/.test(before) ? Number(before) : undefined
}

const stageAfter: Partial<Record<StaffAction, string>> = {
  contacted: 'contacted',
  release: 'released',
  dismiss: 'dismissed',
}

/** Whether an action that changed nothing had been recorded before. If not, the lead is past that stage. */
function isRecorded(action: StaffAction, { stage, closedReason }: LinkSubject): boolean {
  if (action === 'attempted' || action === 'no-answer-needed' || action === 'assign') return true
  if (action === 'not-a-lead') return closedReason === 'not a lead'
  return stage === stageAfter[action]
}

/** The longest form, in bytes: a note of the greatest length, with each of its characters encoded. */
const FORM_LIMIT = 20_480

/** Reads the fields of a form. A body of another type counts as a form without fields. Throws 413 beyond the limit. */
const readForm = async (request: IncomingMessage): Promise<URLSearchParams> =>
  new URLSearchParams((await readBytes(request, FORM_LIMIT)).toString())
