/** The page of a lead: everything about it, what happens next, and the forms for a note or a callback. */
import { ownerName, type Roster } from '../../leads/lead/staff.ts'
import { endedByItself } from '../../leads/lead/stages.ts'
import type { StaffLink, StaffPurpose } from '../../signed-links.ts'
import type { HttpResponse } from '../router.ts'
import type { LinkActions } from './link-actions.ts'
import { type FormsOnPage, untouchedForms } from './link-page-variables.ts'
import type { Footer, Pages } from './link-pages.ts'

type LeadPageServices = {
  pages: Pages
  actions: Pick<LinkActions, 'open' | 'addNote' | 'planCallback' | 'resume' | 'staff'>
  roster: Roster
  /** Another link about a lead, in the same name, that expires with this one. */
  urlFrom: (link: StaffLink, action: StaffPurpose) => string
  footerOf: (link: StaffLink) => Footer
  gone: () => HttpResponse
}

/** The forms on the page, and the purposes with which they are sent. */
const purposes = ['note', 'callback', 'resume'] as const
export type FormPurpose = (typeof purposes)[number]
export const isForm = (action: StaffPurpose): action is FormPurpose =>
  (purposes as readonly StaffPurpose[]).includes(action)

export function leadPage({ pages, actions, roster, urlFrom, footerOf, gone }: LeadPageServices) {
  /** The lead as it is now, with the newest page of its history, or the one before an entry. `forms`: their result. */
  async function show(
    link: StaffLink,
    { before, ...forms }: Partial<FormsOnPage> & { before?: number | undefined } = {},
  ): Promise<HttpResponse> {
    const found = await actions.open(link.subject, before)
    if (found === undefined) return gone()
    const { older, ...lead } = found
    const here = urlFrom(link, 'open')
    const stage = endedByItself(lead.reason) ? 'new' : lead.stage
    const earlier = lead.earlier.map(({ id, words }) => ({ url: urlFrom({ ...link, subject: id }, 'open'), words }))
    const closed = stage === 'closed'
    const variables = {
      lead: { ...lead, owner: ownerName(lead.owner, roster), earlier },
      older_url: older === null ? null : `${here}?before=${older}`,
      newest_url: before === undefined ? null : here,
      contacted_url: stage === 'new' ? urlFrom(link, 'contacted') : null,
      attempted_url: urlFrom(link, 'attempted'),
      no_answer_needed_url: lead.wrote_back === null ? null : urlFrom(link, 'no-answer-needed'),
      assign_url: actions.staff().length > 0 ? urlFrom(link, 'assign') : null,
      not_a_lead_url: stage === 'new' || stage === 'contacted' ? urlFrom(link, 'not-a-lead') : null,
      note_url: urlFrom(link, 'note'),
      callback_url: closed ? null : urlFrom(link, 'callback'),
      resume_url: lead.paused === null ? null : urlFrom(link, 'resume'),
      ...untouchedForms,
      ...forms,
    }
    const wrong = variables.note_problem !== null || variables.callback_problem !== null
    return pages.show('open', variables, wrong ? 400 : 200, footerOf(link))
  }

  /** Carries out what a form on the page has sent, and shows the page again. */
  async function submit(link: StaffLink, purpose: FormPurpose, form: URLSearchParams): Promise<HttpResponse> {
    const { subject, actor } = link
    const field = (name: string) => form.get(name) ?? ''
    if (purpose === 'note') {
      const note = field('note')
      const result = await actions.addNote(subject, actor, note)
      if (result === 'gone') return gone()
      return show(link, 'saved' in result ? result : { note, note_problem: result.problem })
    }
    if (purpose === 'resume') {
      const outcome = await actions.resume(subject, actor)
      return outcome === 'gone' ? gone() : show(link, { saved: 'The follow-up has resumed.' })
    }
    const [day, time] = [field('day'), field('time')]
    const result = await actions.planCallback(subject, actor, { day, time })
    if (typeof result === 'string') return gone()
    if ('problem' in result) return show(link, { day, time, callback_problem: result.problem })
    return show(link, { saved: `Callback promised for ${result.words}.` })
  }

  return { show, submit }
}
