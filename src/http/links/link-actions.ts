/** The actions behind the buttons of signed links: they lead from a page to the store. */
import type { Settings } from '../../config/settings.ts'
import { createDateFormat } from '../../content/date-format.ts'
import { addressHash } from '../../leads/email.ts'
import type { Clock } from '../../platform/time.ts'
import type { StaffAction, StudentAction } from '../../signed-links.ts'
import type { ActionResult } from '../../store/staff-actions.ts'
import type { Store } from '../../store/store.ts'
import { fromOf, type LeadDetails, leadDetails } from './lead-details.ts'
import type { Choice, LeadOnPage } from './page-variables.ts'

export type LinkActions = {
  /**
   * The lead as the pages show it (for release and dismiss, the submission), with its owner's id;
   * undefined if it is gone.
   */
  describe(subject: number, action: StaffAction): Promise<Omit<LeadOnPage, 'url'> | undefined>
  /** Everything about a lead, with its owner's id; undefined if it is gone. */
  open(leadId: number): Promise<LeadDetails | undefined>
  /** Acts once; 'before' if that was already done, 'gone' if the subject no longer exists. */
  act(
    action: StaffAction,
    subject: number,
    actor: string | undefined,
  ): Promise<'done' | 'before' | 'gone'>
  /** Acts if the lead of that id was created then. It may be repeated, and the lead may be gone. */
  actForStudent(action: StudentAction, leadId: number, createdAt: number): Promise<void>
  counselors: readonly Choice[]
}

type Dependencies = {
  store: Store
  clock: Clock
  settings: Settings
  addressSecret: string
  /** Called when messages may have entered the outbox. */
  changed: () => void
}

const SPAM = { stage: 'closed', closedReason: 'spam' } as const

/** The person who acts through a link that went to a whole team. */
const TEAM_MEMBER = 'someone on the team'

export function createLinkActions({
  store,
  clock,
  settings,
  addressSecret,
  changed,
}: Dependencies): LinkActions {
  const acts: Record<
    StaffAction,
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
    assign: (id, by) => store.assignLead(id, { owner: by.actor ?? null, ...namedActor(by) }),
    'not-a-lead': (id, by) =>
      store.changeStage(id, { ...SPAM, from: ['new', 'contacted'], ...namedActor(by) }),
    release: async (id, { now }) => ((await store.releaseQuarantined(id, now)) ? 'done' : 'before'),
    dismiss: async (id, { now }) => ((await store.dismissQuarantined(id, now)) ? 'done' : 'before'),
  }

  const formatDate = createDateFormat(settings.school)

  return {
    counselors: settings.admissions.counselors.map(({ id, name }) => ({ id, name })),

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
