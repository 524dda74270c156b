/** The variables of each page behind a link, besides those about the school. */
import { LONGEST_NOTE } from '../../lead-actions/add-note.ts'
import type { Assignee } from '../../lead-actions/assign.ts'
import type { LeadDetails } from '../../lead-details/lead-details.ts'
import type { LeadOnPage } from '../../lead-details/link-subject.ts'
import type { StaffAction, StudentAction } from '../../signed-links.ts'

/** The lead as it is now, with the links to act; null for an action that would change nothing. */
export type LeadPage = FormsOnPage & {
  lead: Omit<LeadDetails, 'earlier' | 'older'> & { earlier: { url: string; words: string }[] }
  /** The page with older entries and, on that page, the page with the newest. */
  older_url: string | null
  newest_url: string | null
  contacted_url: string | null
  attempted_url: string
  no_answer_needed_url: string | null
  assign_url: string | null
  not_a_lead_url: string | null
  note_url: string
  callback_url: string | null
  resume_url: string | null
}

/** The text that someone sent with a form on the page, if there was a problem with it; or what was saved. */
export type FormsOnPage = {
  saved: string | null
  note: string
  longest_note: number
  note_problem: string | null
  day: string
  time: string
  callback_problem: string | null
}

/** The page before an action. It says what will be done, and who does it. */
export type ConfirmPage = {
  lead: LeadOnPage
  /** Who acts; null for a team. */
  actor: string | null
  /** Who can follow up, if someone must be chosen, and the suggested one. */
  counselors: readonly Assignee[] | null
  chosen: string | null
  /** If the link went to a team, the people on it: the person who acts says who they are. Null for other links. */
  people: readonly Assignee[] | null
  problem: string | null
}

/** The page after an action, which says what is recorded now. */
export type ResultPage = {
  action: StaffAction
  lead: LeadOnPage
  actor: string | null
  /** Whether nothing has changed: the action was already done, or the lead is past that stage. */
  before: boolean
  /** Whether the action is recorded: done now or before. */
  recorded: boolean
  /** Who recorded it, and when, if it was done before; null if no one on the staff did. */
  last: { by: string | null; at: string } | null
  undo_url: string | null
  /** Who gets the messages while the new owner is away, and until which day, in words. */
  stand_in: { name: string; until: string } | null
}

/**
 * The page for someone who may not act. `left`: they are no longer in the settings; `owner`: someone else follows up
 * the lead now; `role`: they are a viewer in the console. It shows the lead, and who to ask. `console_path` shows the
 * lead to people who may see it; null for a submission.
 */
export type LeftPage = { lead: LeadOnPage; why: 'left' | 'owner' | 'role'; console_path: string | null }

/** `message` is the sentence of the error; `docs_url` is where developers can read on. */
type ErrorVariables = { status: number; message: string; docs_url: string | null }

/** The page after an undo. `done` is false if it was too late: after ten minutes, or the next change of the lead. */
export type UndonePage = { lead: LeadOnPage; done: boolean }

/** The page of a link that is older than 30 days. */
export type ExpiredPage = {
  /** Who gets an email with fresh links on request, in words; null if there are none to send. */
  recipient: string | null
}

/** Each page, by the name of its file in `content/pages`. */
export type PageVariables = Record<StaffAction, ConfirmPage> &
  Record<StudentAction | 'unsubscribed' | 'not-me-done' | 'nothing-stored' | 'broken-link', object> &
  Record<'broken' | 'gone' | 'unavailable', object> & {
    home: { student_form_url: string }
    'not-found': { docs_url: string | null; student_form_url: string | null }
    error: ErrorVariables
    done: ResultPage
    open: LeadPage
    left: LeftPage
    undo: { lead: LeadOnPage }
    undismiss: { lead: LeadOnPage }
    undone: UndonePage
    expired: ExpiredPage
    'fresh-link': { recipient: string; done: boolean }
  }

/** The forms on the page before anyone has sent one. */
export const untouchedForms = {
  saved: null,
  note: '',
  longest_note: LONGEST_NOTE,
  note_problem: null,
  day: '',
  time: '',
  callback_problem: null,
}
