/** What the signed links do once somebody has pressed the button: the way from a page to the store. */
import type { Config } from '../../config/config.ts'
import { createDateFormat } from '../../content/date-format.ts'
import { addressHash } from '../../leads/email.ts'
import type { StaffAction } from '../../signed-links.ts'
import type { ActionResult } from '../../store/actions.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from '../../time.ts'
import { fromOf, leadDetails } from './lead-details.ts'
import type { Actions } from './staff-links.ts'

type Parts = {
  store: Store
  clock: Clock
  settings: Config['settings']
  addressSecret: string
  /** Called when messages may have entered the outbox. */
  changed: () => void
}

const SPAM = { stage: 'closed', closedReason: 'spam' } as const

/** Who acts through a link that went to a whole team. */
const SOMEBODY = 'someone on the team'

export function createLinkActions({
  store,
  clock,
  settings,
  addressSecret,
  changed,
}: Parts): Actions {
  const acts: Record<
    StaffAction,
    (subject: number, by: { actor: string | undefined; now: number }) => Promise<ActionResult>
  > = {
    contacted: (id, by) =>
      store.changeStage(id, {
        stage: 'contacted',
        closedReason: null,
        from: ['new'],
        ...known(by),
      }),
    attempted: (id, by) => store.recordCallAttempt(id, { detail: '', ...known(by) }),
    assign: (id, by) => store.assignLead(id, { owner: by.actor ?? null, ...known(by) }),
    'not-a-lead': (id, by) =>
      store.changeStage(id, { ...SPAM, from: ['new', 'contacted'], ...known(by) }),
    release: async (id, { now }) => ((await store.releaseQuarantined(id, now)) ? 'done' : 'before'),
    dismiss: async (id, { now }) => ((await store.dismissQuarantined(id, now)) ? 'done' : 'before'),
  }

  const moment = createDateFormat(settings.school)

  return {
    counselors: settings.admissions.counselors.map(({ id, name }) => ({ id, name })),

    async describe(subject, action) {
      const held = action === 'release' || action === 'dismiss'
      return held ? describeHeld(store, subject) : describeLead(store, subject)
    },

    async open(leadId) {
      const found = await store.readLead(leadId)
      return found && leadDetails(found, { settings, moment })
    },

    async act(action, subject, actor) {
      const outcome = await acts[action](subject, { actor, now: clock.now() })
      changed()
      return outcome
    },

    async student(action, leadId, createdAt) {
      const found = await store.readLead(leadId)
      // Of an erased lead the address is on the list already; another may have its id since a restore.
      if (found?.lead.createdAt !== createdAt) return
      const reason = action === 'not-me' ? 'not me' : 'unsubscribed'
      const hash = addressHash(addressSecret, found.lead.email)
      await store.stopFollowUpEmails(leadId, { addressHash: hash, reason, now: clock.now() })
      changed()
    },
  }
}

const known = ({ actor, now }: { actor: string | undefined; now: number }) => ({
  actor: actor ?? SOMEBODY,
  now,
})

async function describeLead(store: Store, id: number) {
  const found = await store.readLead(id)
  if (found === undefined) return undefined
  const { firstName, lastName, kind, stage, owner } = found.lead
  return { name: `${firstName} ${lastName}`, kind, from: fromOf(found.lead), stage, owner }
}

async function describeHeld(store: Store, id: number) {
  const held = await store.readQuarantined(id)
  if (held === undefined) return undefined
  const { firstName, lastName, company } = held.submission.body
  const name = `${firstName} ${lastName}`
  return { name, kind: 'site' as const, from: company, stage: held.state, owner: null }
}
