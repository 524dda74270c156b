/** The actions behind the buttons of signed links: they lead from a page to the store. */
import type { Settings } from '../../config/settings.ts'
import { createDateFormat, dayInWords } from '../../content/date-format.ts'
import { awayOn } from '../../follow-up/absences.ts'
import type { Calendar } from '../../follow-up/calendar.ts'
import { addressHash } from '../../leads/email.ts'
import type { Lead } from '../../leads/lead.ts'
import { MANAGER, TEAM, TEAM_MEMBER } from '../../leads/staff.ts'
import type { Clock } from '../../platform/time.ts'
import type { StaffAction, StaffPurpose, StudentAction } from '../../signed-links.ts'
import type { HandOverResult } from '../../store/handing-over.ts'
import type { ActionResult } from '../../store/staff-actions.ts'
import type { Store } from '../../store/store.ts'
import { fromOf, type LeadDetails, leadDetails } from './lead-details.ts'
import type { Choice, LeadOnPage } from './page-variables.ts'

export type LinkActions = {
  /**
   * The lead as the pages show it (for release and dismiss, the submission), with its owner's id;
   * undefined if it is gone.
   */
  describe(subject: number, action: StaffPurpose): Promise<Omit<LeadOnPage, 'url'> | undefined>
  /** Everything about a lead, with its owner's id; undefined if it is gone. */
  open(leadId: number): Promise<LeadDetails | undefined>
  /** Acts once; 'before' if that was already done, 'gone' if the subject no longer exists. */
  act(
    action: Exclude<StaffAction, 'assign'>,
    subject: number,
    actor: string | undefined,
  ): Promise<ActionResult>
  /** Assigns a lead to the person with the id of a choice. */
  assign(leadId: number, actor: string | undefined, choice: string): Promise<HandOverResult>
  /** Acts if the lead of that id was created then. It may be repeated, and the lead may be gone. */
  actForStudent(action: StudentAction, leadId: number, createdAt: number): Promise<void>
  /** Who may follow up a lead of this kind, with those who are away marked; empty if there is no one but the team. */
  choices(): Promise<Choice[]>
  /** A day, yyyy-mm-dd, in words. */
  day(day: string): string
  /** The people whom the settings name. */
  staff: readonly Choice[]
}

type Dependencies = {
  store: Store
  clock: Clock
  settings: Settings
  calendar: Calendar
  addressSecret: string
  /** Assigns a lead, with everything that follows from it. */
  handOver: (
    lead: Lead,
    to: { owner: string | null; actor: string; now: number },
  ) => Promise<HandOverResult>
  /** Called when messages may have entered the outbox. */
  changed: () => void
}

const SPAM = { stage: 'closed', closedReason: 'spam' } as const

export function createLinkActions({
  store,
  clock,
  settings,
  calendar,
  addressSecret,
  handOver,
  changed,
}: Dependencies): LinkActions {
  const acts: Record<
    Exclude<StaffAction, 'assign'>,
    (subject: number, by: { actor: string | undefined; now: number }) => Promise<ActionResult>
  > = {
    contacted: (id, by) =>
      store.changeStage(id, {
        stage: 'contacted',
        closedReason: null,
        from: ['new'],
        ...namedActor(by),
      }),
    attempted: (id, by) => store.recordCallAttempt(id, { detail: '', ...namedActor(by) }),
    'not-a-lead': (id, by) =>
      store.changeStage(id, { ...SPAM, from: ['new', 'contacted'], ...namedActor(by) }),
    release: async (id, { now }) => ((await store.releaseQuarantined(id, now)) ? 'done' : 'before'),
    dismiss: async (id, { now }) => ((await store.dismissQuarantined(id, now)) ? 'done' : 'before'),
  }

  const formatDate = createDateFormat(settings.school)
  const { counselors, manager } = settings.admissions
  const managers = manager ? [{ id: MANAGER, name: `${manager.name} (manager)` }] : []

  return {
    staff: [...counselors.map(({ id, name }) => ({ id, name })), ...managers],

    day: day => dayInWords(day, settings.school),

    async choices() {
      const today = calendar.today(clock.now())
      const away = awayOn(today, counselors, await store.listAbsences(today))
      const marked = counselors.map(({ id, name }) => {
        const until = away.get(id)
        return {
          id,
          name: until ? `${name} (away until ${dayInWords(until, settings.school)})` : name,
        }
      })
      const people = [...marked, ...managers]
      return people.length === 0 ? [] : [...people, { id: TEAM, name: 'The team' }]
    },

    async describe(subject, action) {
      const quarantined = action === 'release' || action === 'dismiss'
      return quarantined ? describeQuarantined(store, subject) : describeLead(store, subject)
    },

    async open(leadId) {
      const found = await store.readLead(leadId)
      return found && leadDetails(found, { settings, formatDate })
    },

    async act(action, subject, actor) {
      const outcome = await acts[action](subject, { actor, now: clock.now() })
      changed()
      return outcome
    },

    async assign(leadId, actor, choice) {
      const found = await store.readLead(leadId)
      if (found === undefined) return { outcome: 'gone', standIn: undefined }
      const owner = choice === TEAM ? null : choice
      const result = await handOver(found.lead, {
        owner,
        ...namedActor({ actor, now: clock.now() }),
      })
      changed()
      return result
    },

    async actForStudent(action, leadId, createdAt) {
      const found = await store.readLead(leadId)
      // The address of an erased lead is suppressed already; another lead may have its id since a restore.
      if (found?.lead.createdAt !== createdAt) return
      const reason = action === 'not-me' ? 'not me' : 'unsubscribed'
      const hash = addressHash(addressSecret, found.lead.email)
      await store.stopFollowUpEmails(leadId, { addressHash: hash, reason, now: clock.now() })
      changed()
    },
  }
}

const namedActor = ({ actor, now }: { actor: string | undefined; now: number }) => ({
  actor: actor ?? TEAM_MEMBER,
  now,
})

async function describeLead(store: Store, id: number) {
  const found = await store.readLead(id)
  if (found === undefined) return undefined
  const { firstName, lastName, kind, stage, owner } = found.lead
  return { name: `${firstName} ${lastName}`, kind, from: fromOf(found.lead), stage, owner }
}

async function describeQuarantined(store: Store, id: number) {
  const quarantined = await store.readQuarantined(id)
  if (quarantined === undefined) return undefined
  const { submission, state } = quarantined
  const { firstName, lastName, company } = submission.body
  const name = `${firstName} ${lastName}`
  return { name, kind: 'site' as const, from: company, stage: state, owner: null }
}
