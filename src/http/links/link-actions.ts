/** What the links in emails to the staff show, and what their buttons do to a lead or to a quarantined submission. */
import { createDateFormat, createShortDateFormat, dayAsOf, dayInWords } from '../../content/date-format.ts'
import { addNote, noteSaved } from '../../lead-actions/add-note.ts'
import { type Assignee, assign, assignees, ownerOf, staffOf } from '../../lead-actions/assign.ts'
import { close } from '../../lead-actions/close.ts'
import { type Decision, dismiss, release, undoDismissal } from '../../lead-actions/decide-quarantined.ts'
import { stepsToCome } from '../../lead-actions/follow-up-plan.ts'
import { requestFreshLink } from '../../lead-actions/fresh-link.ts'
import { needNoAnswer } from '../../lead-actions/need-no-answer.ts'
import { planCallback } from '../../lead-actions/plan-callback.ts'
import { recordCall } from '../../lead-actions/record-call.ts'
import { resume } from '../../lead-actions/resume.ts'
import type { LeadAction, Services } from '../../lead-actions/services.ts'
import { undo } from '../../lead-actions/undo.ts'
import { type LeadDetails, leadDetails } from '../../lead-details/lead-details.ts'
import { describeLead, describeQuarantined, type LinkSubject } from '../../lead-details/link-subject.ts'
import { TEAM_MEMBER } from '../../leads/lead/staff.ts'
import type { TimelineKind } from '../../leads/lead/timeline-entries.ts'
import { canTakeBack } from '../../leads/lead/undo-window.ts'
import type { StandIn } from '../../mail/staff-addressees.ts'
import { SECOND } from '../../platform/time.ts'
import { STAFF_LIFETIME, type StaffAction, type StaffLink, type StaffPurpose } from '../../signed-links.ts'

/** `duplicate`: the person has another open lead. */
type Outcome = 'done' | 'before' | 'gone' | 'stale' | 'invalid' | 'duplicate'

export type LinkActions = {
  /**
   * Why the person of a link may not do this in the console, either; undefined if they may. `role`: a viewer changes
   * nothing. `owner`: someone else follows up the lead by now. They may still undo what they did.
   */
  obstacleTo(link: Pick<StaffLink, 'action' | 'subject' | 'actor'>): Promise<'role' | 'owner' | undefined>
  /**
   * Whether the number in a link belongs to something newer than the link: after a database was restored, that is a
   * different lead or submission.
   */
  isOfAnother(link: Pick<StaffLink, 'action' | 'subject' | 'signedAt'>): Promise<boolean>
  /** The subject of a link; undefined if the lead or submission no longer exists. */
  describe(subject: number, purpose: StaffPurpose): Promise<LinkSubject | undefined>
  /** A lead with its owner's id and the newest page of its history, or the page before an entry; undefined if gone. */
  open(leadId: number, before?: number): Promise<LeadDetails | undefined>
  /** Acts once; 'before' if that was already done, 'gone' if the subject no longer exists. */
  act(action: Exclude<StaffAction, 'assign'>, subject: number, actor: string | undefined): Promise<Outcome>
  /** Assigns a lead to the person with the id of a choice. */
  assign(
    leadId: number,
    actor: string | undefined,
    choice: string,
  ): Promise<{ outcome: Outcome; standIn: StandIn | undefined }>
  /** Undoes an action, or a dismissal; 'before' if it is too late. */
  undo(purpose: 'undo' | 'undismiss', subject: number, actor: string | undefined): Promise<Outcome>
  /** Emails fresh links to the person who had the old ones; 'before' if that was done a moment ago. */
  freshLink(leadId: number, actor: string | undefined): Promise<Outcome>
  /** Saves a note, unless there is a problem with it, and says so. */
  addNote(
    leadId: number,
    actor: string | undefined,
    text: string,
  ): Promise<{ saved: string } | { problem: string } | 'gone'>
  /** Promises a callback, by a day and a time where the person is (both may be empty), and says when, in words. */
  planCallback(
    leadId: number,
    actor: string | undefined,
    at: { day: string; time: string },
  ): Promise<{ words: string } | { problem: string } | 'gone'>
  /** Ends a pause. */
  resume(leadId: number, actor: string | undefined): Promise<Outcome>
  /** Who can follow up a lead, with a mark for people who are away; empty if there is no one but the team. */
  choices(): Promise<Assignee[]>
  /** A day, yyyy-mm-dd, in words. */
  day(day: string): string
  lastDay(link: Pick<StaffLink, 'signedAt'>): string
  /** The people that the settings name. */
  staff(): readonly Assignee[]
}

/** The entries that say that an action was done. */
const entriesOf: Partial<Record<StaffPurpose, TimelineKind>> = {
  contacted: 'stage',
  'not-a-lead': 'stage',
  attempted: 'attempt',
  'no-answer-needed': 'no-answer-needed',
  assign: 'assigned',
}

/** The buttons that act on a lead without any choice, and the buttons that decide about a quarantined submission. */
const buttons: Record<
  'contacted' | 'attempted' | 'no-answer-needed' | 'not-a-lead',
  LeadAction<object, { outcome: Outcome }>
> = {
  contacted: (services, lead, _, by) => recordCall(services, lead, { outcome: 'reached' }, by),
  attempted: (services, lead, _, by) => recordCall(services, lead, { outcome: 'no answer' }, by),
  'no-answer-needed': needNoAnswer,
  'not-a-lead': (services, lead, _, by) =>
    close(services, lead, { reason: 'not a lead', from: ['new', 'contacted'] }, by),
}

const isAboutSubmission = (purpose: StaffPurpose): boolean => ['release', 'dismiss', 'undismiss'].includes(purpose)

export const isAboutLead = ({ action }: Pick<StaffLink, 'action'>): boolean =>
  action !== 'undo' && !isAboutSubmission(action)

const decisions = { release, dismiss } satisfies Record<string, Decision>

export function createLinkActions(services: Services): LinkActions {
  const { store, clock, settings, calendar, addressees } = services
  const formatDate = createDateFormat(settings.school)
  const shortDate = createShortDateFormat(settings.school)
  const by = (actor: string | undefined) => ({ actor: actor ?? TEAM_MEMBER })

  /** Does something to the lead with this id; undefined if there is none. */
  async function toLead<Input, Result>(
    action: LeadAction<Input, Result>,
    leadId: number,
    input: Input,
    actor: string | undefined,
  ): Promise<Result | undefined> {
    const lead = await store.findLead(leadId)
    return lead && action(services, lead, input, by(actor))
  }

  return {
    async obstacleTo({ action, subject, actor }) {
      if (actor === undefined) return undefined
      if (settings.admissions.access?.[actor] === 'viewer') return 'role'
      const lead = isAboutLead({ action }) ? await store.findLead(subject) : undefined
      return lead === undefined || addressees.worksOn(actor, lead) ? undefined : 'owner'
    },

    async isOfAnother({ action, subject, signedAt }) {
      if (isAboutSubmission(action))
        return ((await store.readQuarantined(subject))?.submission.receivedAt ?? 0) > signedAt
      // An entry may be newer than the link on whose page it was made, but its lead may not.
      const leadId = action === 'undo' ? (await store.readEntry(subject))?.leadId : subject
      const lead = leadId === undefined ? undefined : await store.findExactLead(leadId)
      return (lead?.createdAt ?? 0) > signedAt
    },

    staff: () => staffOf(settings),

    day: day => dayAsOf(day, calendar.today(clock.now()), settings.school),

    lastDay: ({ signedAt }) => dayInWords(calendar.today(signedAt + STAFF_LIFETIME * SECOND), settings.school),

    choices: () => assignees(services),

    async describe(subject, purpose) {
      const now = clock.now()
      const context = { settings, now, moment: (time: number) => shortDate(time, now) }
      if (isAboutSubmission(purpose)) {
        const quarantined = await store.readQuarantined(subject)
        return quarantined && describeQuarantined(quarantined, context)
      }
      const leadId = purpose === 'undo' ? (await store.readEntry(subject))?.leadId : subject
      const lead = leadId === undefined ? undefined : await store.findLead(leadId)
      if (lead === undefined) return undefined
      const kind = entriesOf[purpose]
      const last = kind && (await store.readLatestEntry(lead.id, [kind]))
      const ownUndo = kind === 'no-answer-needed' && last && last.undoneAt === null && canTakeBack(last, now)
      const undoable = ownUndo ? last : await store.readUndoable(lead.id, now)
      return describeLead({ lead, last, undoable }, context)
    },

    async open(leadId, before) {
      const now = clock.now()
      const found = await store.readLinkedLead(leadId, { before, today: calendar.today(now) })
      if (found === undefined) return undefined
      const steps = await stepsToCome(services, found.followUp, found.lead.callbackAt ?? now, found)
      const shortDay = (time: number) => shortDate(time, now)
      return leadDetails({ ...found, steps }, { settings, formatDate, shortDay, now })
    },

    async act(action, subject, actor) {
      const result =
        action === 'release' || action === 'dismiss'
          ? await decisions[action](services, subject, {}, by(actor))
          : await toLead(buttons[action], subject, {}, actor)
      return result?.outcome ?? 'gone'
    },

    assign: async (leadId, actor, choice) =>
      (await toLead(assign, leadId, { owner: ownerOf(choice) }, actor)) ?? { outcome: 'gone', standIn: undefined },

    async undo(purpose, subject, actor) {
      if (purpose === 'undismiss') return (await undoDismissal(services, subject, {}, by(actor))).outcome
      const entry = await store.readEntry(subject)
      const result = entry && (await toLead(undo, entry.leadId, { entry }, actor))
      return result?.outcome ?? 'gone'
    },

    freshLink: async (leadId, actor) => (await toLead(requestFreshLink, leadId, {}, actor))?.outcome ?? 'gone',

    async addNote(leadId, actor, text) {
      const result = await toLead(addNote, leadId, { text }, actor)
      if (result === undefined || result.outcome === 'gone') return 'gone'
      return result.outcome === 'invalid' ? result : { saved: noteSaved(result.lead) }
    },

    async planCallback(leadId, actor, { day, time }) {
      const when = [day, time].filter(Boolean).join('T')
      const result = await toLead(planCallback, leadId, { when }, actor)
      return result === undefined || result.outcome === 'gone' ? 'gone' : result
    },

    resume: async (leadId, actor) => (await toLead(resume, leadId, {}, actor))?.outcome ?? 'gone',
  }
}
