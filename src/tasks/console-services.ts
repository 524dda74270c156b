/** What the console does with the parts of the worker: the conversation with a person, and the plan of a lead. */
import type { Lead } from '../leads/lead/lead.ts'
import type { MergedFollowUps } from '../leads/lead/merging.ts'
import type { Content } from '../mail/messages.ts'
import type { ReplyTemplates } from '../mail/reply-templates.ts'
import type { ActionContext, ActionResult, StageChange, StageResult } from '../store/actions/staff-actions.ts'
import type { MergeRequest, MergeResult } from '../store/merging/merge.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { followUpsOfMerge, mergeRestartsOf } from './merging.ts'
import { messageOfTask, type TaskMessage } from './message-of-task.ts'
import { type Draft, draftMessage, obstacleOf } from './messages/written-messages.ts'
import type { MailDependencies } from './outbox.ts'
import { nextSteps, type Plan, stepsToCome } from './plan.ts'
import { restartsOf } from './restarts.ts'
import { nextStep } from './stepping.ts'

export type Conversations = {
  templates: ReplyTemplates
  /** Why no one may write to the person from here, in words; undefined if they may. */
  obstacle(lead: Lead): Promise<string | undefined>
  /** The Message-ID that the next message replies to, and its subject; without one, there is nothing to reply to. */
  thread(leadId: number): Promise<{ answers: string | undefined; subject: string | undefined }>
  /** The message that a draft becomes. */
  preview(lead: Lead, draft: Draft): Promise<Content>
  /** The message of a task of the outbox, or a sentence that says why there is none. */
  messageOf(task: Task): Promise<TaskMessage>
}

export type FollowUps = {
  /** What will be done for a lead if nothing else happens. */
  upcoming(lead: Lead, now: number): Promise<Plan['future']>
  /** Skips the open step with this index. */
  skip(leadId: number, step: number, by: ActionContext): Promise<ActionResult>
  /** Changes the stage of a lead to `new`, with everything that begins again; with `from`, from these alone. */
  reopen(lead: Lead, by: ActionContext & Pick<StageChange, 'from'>): Promise<StageResult>
  /** What merging another lead into one that is kept would mean for their follow-ups, and which steps would come then. */
  dryRunMerge(kept: Lead, other: Lead, now: number): Promise<MergedFollowUps & { steps: Plan['future'] }>
  /** Merges another lead into one that is kept, with everything that begins again for it. */
  merge(kept: Lead, other: Lead, by: Pick<MergeRequest, 'seenOther'> & ActionContext): Promise<MergeResult>
}

export function createConversations(deps: MailDependencies, templates: ReplyTemplates): Conversations {
  const { store, identity } = deps

  async function thread(leadId: number) {
    const { theirs, ours } = await store.readConversation(leadId)
    if (theirs !== undefined) return { answers: theirs.id, subject: theirs.subject }
    const task = ours && (await store.readMail(ours.task))
    if (task === undefined) return { answers: undefined, subject: undefined }
    const message = ours?.subject === undefined ? await messageOfTask(deps, task) : undefined
    const rendered = message && 'content' in message ? message.content.subject : undefined
    return { answers: identity.of(task), subject: ours?.subject ?? rendered }
  }

  return {
    templates,
    thread,
    obstacle: lead => obstacleOf(deps, lead),
    preview: (lead, draft) => draftMessage(deps, lead, draft),
    messageOf: task => messageOfTask(deps, task),
  }
}

export function createFollowUps(deps: MailDependencies): FollowUps {
  const { store } = deps
  return {
    upcoming: (lead, now) => nextSteps(deps, lead, now),

    async skip(leadId, index, by) {
      const followUp = await store.readFollowUp(leadId)
      const step = followUp?.cadence[index]
      if (followUp === undefined || step === undefined || 'close' in step) return 'before'
      const next = nextStep({ ...deps, clock: { now: () => by.now } }, index, followUp, { sent: false })
      return store.skipStep(leadId, { step: index, name: step.name, next, ...by })
    },

    async reopen(lead, by) {
      const restarts = await restartsOf(deps, lead, by.now)
      return store.changeStage(lead.id, { stage: 'new', closedReason: null, restarts, ...by })
    },

    async dryRunMerge(kept, other, now) {
      const restarts = await mergeRestartsOf(deps, kept, other, now)
      const by = { other: other.id, restarts, actor: '', now }
      const followUp = await store.dryRunMerge(kept.id, by)
      const steps = followUp === undefined ? [] : await stepsToCome(deps, followUp, followUp.lead.pausedUntil ?? now)
      return { ...(await followUpsOfMerge(store, kept, other)), steps }
    },

    async merge(kept, other, by) {
      const restarts = await mergeRestartsOf(deps, kept, other, by.now)
      return store.mergeLeads(kept.id, { other: other.id, restarts, ...by })
    },
  }
}
