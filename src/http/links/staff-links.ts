/** The links in emails to the staff: they show a lead, or act on it with one button. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { endedByItself } from '../../leads/stages.ts'
import type { Clock } from '../../platform/time.ts'
import type { Links, StaffAction, StaffLink, StaffPurpose } from '../../signed-links.ts'
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
  clock: Clock
  log: Logger
}

/** GET asks and POST acts, so that programs that open every link change nothing. */
export function staffLinkRoute({ links, pages, actions, clock, log }: Dependencies): Route {
  const { counselors } = actions

  async function follow(token: string, onAction: (link: ActionLink) => Promise<HttpResponse>) {
    const link = links.readStaff(token, clock.now())
    if (link === 'expired') return pages.show('expired', {}, 410)
    if (link === undefined) return gone()
    const { action } = link
    try {
      return await (action === 'open' ? show(link) : onAction({ ...link, action }))
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      return unavailable(error)
    }
  }

  /** The lead as it is now. There is nothing to do here, so a POST gets the same page. */
  async function show(link: StaffLink): Promise<HttpResponse> {
    const lead = await actions.open(link.subject)
    if (lead === undefined) return gone()
    const { kind, owner } = lead
    const assignable = kind === 'student' && owner !== link.actor && counselors.length > 0
    const stage = endedByItself(lead.reason) ? 'new' : lead.stage
    return pages.show('open', {
      lead: { ...lead, owner: nameOf(owner) },
      contacted_url: stage === 'new' ? urlFrom(link, 'contacted') : null,
      attempted_url: urlFrom(link, 'attempted'),
      assign_url: assignable ? urlFrom(link, 'assign') : null,
      not_a_lead_url: stage === 'new' || stage === 'contacted' ? urlFrom(link, 'not-a-lead') : null,
    })
  }

  async function ask(link: ActionLink, problem: string | null = null): Promise<HttpResponse> {
    const lead = await describe(link)
    if (lead === undefined) return gone()
    const variables = {
      lead,
      actor: nameOf(link.actor),
      counselors: mustChoose(link) ? counselors : null,
      problem,
    }
    return pages.show(link.action, variables, problem === null ? 200 : 400)
  }

  async function act(link: ActionLink, request: IncomingMessage): Promise<HttpResponse> {
    const actor = mustChoose(link) ? await chosen(request) : link.actor
    if (mustChoose(link) && actor === undefined) return ask(link, 'Choose a counselor.')
    const { action, subject } = link
    const outcome = await actions.act(action, subject, actor)
    if (outcome === 'gone') return gone()
    const lead = (await describe(link)) ?? null
    const before = outcome === 'before'
    const recorded = !before || (lead !== null && isRecorded(action, lead))
    return pages.show('done', { action, lead, actor: nameOf(actor), before, recorded })
  }

  async function describe(link: ActionLink): Promise<LeadOnPage | undefined> {
    const { action, subject } = link
    const lead = await actions.describe(subject, action)
    const url = action === 'release' || action === 'dismiss' ? null : urlFrom(link, 'open')
    return lead && { ...lead, owner: nameOf(lead.owner), url }
  }

  async function chosen(request: IncomingMessage): Promise<string | undefined> {
    const id = (await readForm(request)).get('counselor')
    return counselors.find(counselor => counselor.id === id)?.id
  }

  /** Another link about the same lead, in the same name, that expires with this one. */
  const urlFrom = ({ subject, actor, signedAt }: StaffLink, action: StaffPurpose): string =>
    links.staff(action, subject, actor, signedAt)

  /** The name of a counselor; the id of one who is no longer in the settings. */
  const nameOf = (id: string | null | undefined): string | null =>
    counselors.find(counselor => counselor.id === id)?.name ?? id ?? null

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

/** In an email to a whole team, "assign" does not say who acts. */
const mustChoose = ({ action, actor }: ActionLink): boolean =>
  action === 'assign' && actor === undefined
