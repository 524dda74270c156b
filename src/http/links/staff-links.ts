/** Acting from the e-mail: what the links in messages to the staff lead to. */
import type { IncomingMessage } from 'node:http'
import { endedByItself } from '../../leads/stages.ts'
import type {
  Links,
  StaffAction,
  StaffLink,
  StaffPurpose,
  StudentAction,
} from '../../signed-links.ts'
import type { Clock } from '../../time.ts'
import type { HttpResponse, Route } from '../router.ts'
import { readForm } from './form.ts'
import type { LeadDetails } from './lead-details.ts'
import type { Choice, LeadOnPage, Pages } from './link-pages.ts'

export type Actions = {
  /** What the pages show of the lead (release, dismiss: the submission); undefined where it is gone. */
  describe(subject: number, action: StaffAction): Promise<Omit<LeadOnPage, 'url'> | undefined>
  /** Everything about a lead, its owner by id; undefined where it is gone. */
  open(leadId: number): Promise<LeadDetails | undefined>
  /** Does it, once; 'before' where it had been done, 'gone' where there is nothing any more. */
  act(
    action: StaffAction,
    subject: number,
    actor: string | undefined,
  ): Promise<'done' | 'before' | 'gone'>
  /** Does it, if the lead of that id came then; again and for a lead that is gone, too. */
  student(action: StudentAction, leadId: number, createdAt: number): Promise<void>
  counselors: readonly Choice[]
}

/** One that does something. */
type ActingLink = StaffLink<StaffAction>

type Parts = {
  links: Pick<Links, 'readStaff' | 'staff'>
  pages: Pages
  actions: Pick<Actions, 'describe' | 'open' | 'act' | 'counselors'>
  clock: Clock
}

/** GET asks, POST acts, so that programs that look at every link change nothing. */
export function actingRoute({ links, pages, actions, clock }: Parts): Route {
  const { counselors } = actions

  async function opened(token: string, then: (link: ActingLink) => Promise<HttpResponse>) {
    const link = links.readStaff(token, clock.now())
    if (link === 'expired') return pages.show('expired', {}, 410)
    if (link === undefined) return gone()
    const { action } = link
    return action === 'open' ? show(link) : then({ ...link, action })
  }

  /** The lead as it is now. There is nothing to do here, so a POST is shown the same. */
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

  async function ask(link: ActingLink, problem: string | null = null): Promise<HttpResponse> {
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

  async function act(link: ActingLink, request: IncomingMessage): Promise<HttpResponse> {
    const actor = mustChoose(link) ? await chosen(request) : link.actor
    if (mustChoose(link) && actor === undefined) return ask(link, 'Choose a counselor.')
    const { action, subject } = link
    const outcome = await actions.act(action, subject, actor)
    if (outcome === 'gone') return gone()
    const lead = (await describe(link)) ?? null
    const before = outcome === 'before'
    const recorded = !before || (lead !== null && isOnRecord(action, lead))
    return pages.show('done', { action, lead, actor: nameOf(actor), before, recorded })
  }

  async function describe(link: ActingLink): Promise<LeadOnPage | undefined> {
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

  /** Of somebody who is a counselor no more, what they were known by. */
  const nameOf = (id: string | null | undefined): string | null =>
    counselors.find(counselor => counselor.id === id)?.name ?? id ?? null

  const gone = (): HttpResponse => pages.show('gone', {}, 404)

  return {
    GET: async (_, token) => opened(token, ask),
    POST: async (request, token) => opened(token, link => act(link, request)),
  }
}

const stageAfter: Partial<Record<StaffAction, string>> = {
  contacted: 'contacted',
  release: 'released',
  dismiss: 'dismissed',
}

/**
 * Whether what changed nothing had been done before; else the lead is past it. Of a lead that is
 * closed it is not told whether it was closed as none.
 */
function isOnRecord(action: StaffAction, { stage }: LeadOnPage): boolean {
  if (action === 'attempted' || action === 'assign') return true
  return stage === stageAfter[action]
}

/** In a message to a whole team, "assign to me" does not know who that is. */
const mustChoose = ({ action, actor }: ActingLink): boolean =>
  action === 'assign' && actor === undefined
