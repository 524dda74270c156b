/** The actions behind the buttons of the staff's signed links: they lead from a page to the store. */
import type { Settings } from '../../config/settings.ts'
import { createDateFormat, createShortDateFormat, dayInWords } from '../../content/date-format.ts'
import { awayOn } from '../../follow-up/absences.ts'
import type { Calendar } from '../../follow-up/calendar.ts'
import { callMoment } from '../../follow-up/call-moment.ts'
import { isBlank, textProblem, tidy } from '../../leads/body/text.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { MANAGER, TEAM, TEAM_MEMBER } from '../../leads/lead/staff.ts'
import { UNDO_TIME } from '../../leads/lead/undo.ts'
import { type Clock, SECOND } from '../../platform/time.ts'
import { STAFF_LIFETIME, type StaffAction, type StaffLink, type StaffPurpose } from '../../signed-links.ts'
import type { AssignmentResult } from '../../store/actions/assign-lead.ts'
import type { ActionResult, StageResult } from '../../store/actions/staff-actions.ts'
import type { Store } from '../../store/store.ts'
import { type LeadDetails, leadDetails, type UpcomingStep } from './lead-details.ts'
import { describeLead, describeQuarantined, entriesOf, type LinkSubject } from './link-subject.ts'
import type { Choice } from './page-variables.ts'

export type LinkActions = {
  /** What a link is about; undefined if it is gone. */
  describe(subject: number, purpose: StaffPurpose): Promise<LinkSubject | undefined>
  /**
   * A lead with its owner's id and the newest page of its history, or the page before an entry; undefined
   * if it is gone.
   */
  open(leadId: number, before?: number): Promise<LeadDetails | undefined>
  /**
   * Acts once; 'before' if that was already done, 'gone' if the subject no longer exists, 'stale' if others have
   * changed the lead since the entry `seen`, 'duplicate' if the person has another open lead.
   */
  act(
    action: Exclude<StaffAction, 'assign'>,
    subject: number,
    actor: string | undefined,
    seen?: number,
  ): Promise<StageResult>
  /** Assigns a lead to the person with the id of a choice. */
  assign(leadId: number, actor: string | undefined, choice: string, seen?: number): Promise<AssignmentResult>
  /** Undoes an action, or a dismissal; 'before' if it is too late. */
  undo(purpose: 'undo' | 'undismiss', subject: number, actor: string | undefined): Promise<ActionResult>
  /** Mails fresh links to the person that the old ones were for; 'before' if that was done a moment ago. */
  freshLink(leadId: number, actor: string | undefined): Promise<ActionResult>
  /** Saves a note, unless there is a problem with it. */
  addNote(leadId: number, actor: string | undefined, text: string): Promise<ActionResult | { problem: string }>
  /** Pauses the follow-up until a day and a time (both may be empty), and says until when, in words. */
  callAgain(
    leadId: number,
    actor: string | undefined,
    at: { day: string; time: string },
    seen?: number,
  ): Promise<{ words: string } | { problem: string } | 'gone' | 'stale'>
  /** Ends a pause. */
  resume(leadId: number, actor: string | undefined): Promise<ActionResult>
  /** Who may follow up a lead, with those who are away marked; empty if there is no one but the team. */
  choices(): Promise<Choice[]>
  /** A day, yyyy-mm-dd, in words. */
  day(day: string): string
  /** The last day on which a link works, in words. */
  lastDay(link: Pick<StaffLink, 'signedAt'>): string
  /** The people that the settings name. */
  staff(): readonly Choice[]
}

type Dependencies = {
  store: Store
  clock: Clock
  settings: Settings
  calendar: Calendar
  /** Assigns a lead, with everything that follows from it. */
  assignLead: (
    lead: Lead,
    to: { owner: string | null; actor: string; now: number; seen?: number | undefined },
  ) => Promise<AssignmentResult>
  /** Undoes the action that an entry of a timeline records. */
  undo: (entryId: number, by: { actor: string; now: number }) => Promise<ActionResult>
  /** Ends a pause, with everything that follows from it. */
  resume: (lead: Lead, by: { actor: string; now: number }) => Promise<ActionResult>
  /** The steps of a follow-up that are still to come and that nothing stops. */
  upcoming: (lead: Lead, now: number) => Promise<UpcomingStep[]>
  /** Called when messages may have entered the outbox. */
  changed: () => void
}

/** In characters; the form says so, too. */
const LONGEST_NOTE = 1500

const NOT_A_LEAD = { stage: 'closed', closedReason: 'not a lead' } as const

export function createLinkActions({
  store,
  clock,
  settings,
  calendar,
  assignLead,
  undo,
  resume,
  upcoming,
  changed,
}: Dependencies): LinkActions {
  const acts: Record<Exclude<StaffAction, 'assign'>, (subject: number, by: By) => Promise<StageResult>> = {
    contacted: (id, by) =>
      store.changeStage(id, { stage: 'contacted', closedReason: null, from: ['new'], ...namedActor(by) }),
    attempted: (id, by) => store.recordCallAttempt(id, { detail: '', ...namedActor(by) }),
    'not-a-lead': (id, by) => store.changeStage(id, { ...NOT_A_LEAD, from: ['new', 'contacted'], ...namedActor(by) }),
    release: async (id, by) => {
      const { actor, now } = namedActor(by)
      return (await store.releaseQuarantined(id, now, actor)) ? 'done' : 'before'
    },
    dismiss: async (id, by) => {
      const { actor, now } = namedActor(by)
      return (await store.dismissQuarantined(id, now, actor)) ? 'done' : 'before'
    },
  }

  const formatDate = createDateFormat(settings.school)
  const shortDate = createShortDateFormat(settings.school)
  const { admissions } = settings
  const managers = () => (admissions.manager ? [{ id: MANAGER, name: `${admissions.manager.name} (manager)` }] : [])

  return {
    staff: () => [...admissions.counselors.map(({ id, name }) => ({ id, name })), ...managers()],

    day: day => dayInWords(day, settings.school),

    lastDay: ({ signedAt }) => dayInWords(calendar.today(signedAt + STAFF_LIFETIME * SECOND), settings.school),

    async choices() {
      const today = calendar.today(clock.now())
      const away = awayOn(today, admissions.counselors, await store.listAbsences(today))
      const marked = admissions.counselors.map(({ id, name }) => {
        const until = away.get(id)
        return { id, name: until ? `${name} (away until ${dayInWords(until, settings.school)})` : name }
      })
      const people = [...marked, ...managers()]
      return people.length === 0 ? [] : [...people, { id: TEAM, name: 'The team' }]
    },

    async describe(subject, purpose) {
      const now = clock.now()
      const context = { settings, now, moment: (time: number) => shortDate(time, now) }
      if (purpose === 'release' || purpose === 'dismiss' || purpose === 'undismiss') {
        const quarantined = await store.readQuarantined(subject)
        return quarantined && describeQuarantined(quarantined, context)
      }
      const leadId = purpose === 'undo' ? (await store.readEntry(subject))?.leadId : subject
      const lead = leadId === undefined ? undefined : await store.findLead(leadId)
      if (lead === undefined) return undefined
      const kind = entriesOf[purpose]
      const last = kind && (await store.readLatestEntry(lead.id, [kind]))
      const undoable = await store.readUndoable(lead.id, now)
      return describeLead({ lead, last, undoable }, context)
    },

    async open(leadId, before) {
      const found = await store.readLead(leadId, { before })
      if (found === undefined) return undefined
      const now = clock.now()
      const [steps, earlier, phones] = [
        await upcoming(found.lead, found.lead.pausedUntil ?? now),
        await store.findEarlierLeads(leadId),
        await store.readPhones(found.lead),
      ]
      const shortDay = (time: number) => shortDate(time, now)
      return leadDetails({ ...found, steps, earlier, phones }, { settings, formatDate, shortDay, now })
    },

    async act(action, subject, actor, seen) {
      const outcome = await acts[action](subject, { actor, now: clock.now(), seen })
      changed()
      return outcome
    },

    async assign(leadId, actor, choice, seen) {
      const lead = await store.findLead(leadId)
      if (lead === undefined) return { outcome: 'gone', standIn: undefined }
      const owner = choice === TEAM ? null : choice
      const by = namedActor({ actor, now: clock.now(), seen })
      const result = await assignLead(lead, { owner, ...by })
      changed()
      return result
    },

    async undo(purpose, subject, actor) {
      const by = namedActor({ actor, now: clock.now() })
      const outcome =
        purpose === 'undo'
          ? await undo(subject, by)
          : (await store.undoDismissal(subject, by.now - UNDO_TIME))
            ? 'done'
            : 'before'
      changed()
      return outcome
    },

    async freshLink(leadId, actor) {
      const by = namedActor({ actor, now: clock.now() })
      const outcome = await store.requestFreshLink(leadId, by)
      changed()
      return outcome
    },

    async addNote(leadId, actor, written) {
      const text = tidy(written)
      const problem = isBlank(text) ? 'must not be empty' : textProblem(text, 'many')
      if (problem !== undefined) return { problem: `The note ${problem}.` }
      if (text.length > LONGEST_NOTE) return { problem: `The note must have at most ${LONGEST_NOTE} characters.` }
      return store.addNote(leadId, { text, ...namedActor({ actor, now: clock.now() }) })
    },

    async callAgain(leadId, actor, at, seen) {
      const by = namedActor({ actor, now: clock.now(), seen })
      const { timeZone } = settings.school
      const lead = await store.findLead(leadId)
      if (lead === undefined) return 'gone'
      const hours = calendar.hoursFor(lead.state).school
      const until = callMoment(at, { hours, timeZone, now: by.now })
      if (typeof until === 'string') return { problem: until }
      const words = `until ${formatDate(until)}`
      const outcome = await store.pauseLead(leadId, { end: { until, words }, ...by })
      changed()
      return outcome === 'gone' || outcome === 'stale' ? outcome : { words }
    },

    async resume(leadId, actor) {
      const lead = await store.findLead(leadId)
      const by = namedActor({ actor, now: clock.now() })
      const outcome = lead ? await resume(lead, by) : 'gone'
      changed()
      return outcome
    },
  }
}

type By = { actor: string | undefined; now: number; seen?: number | undefined }

const namedActor = ({ actor, ...by }: By) => ({ actor: actor ?? TEAM_MEMBER, ...by })
