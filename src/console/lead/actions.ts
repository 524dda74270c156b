/**
 * What the buttons and forms of a lead's page do. What links in emails do, too, is done by the same code
 * (`http/links/link-actions.ts`).
 */
import { stepAt, trackOf } from '../../follow-up/cadence.ts'
import { capital } from '../../leads/body/text.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { endedByItself, stageName, stages } from '../../leads/lead/stages.ts'
import { canTakeBack } from '../../leads/lead/undo.ts'
import type { ActionResult, StageResult } from '../../store/actions/staff-actions.ts'
import { mayUndo } from '../frame/access.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { reasonsToClose } from './bulk-actions.ts'
import { labelActions } from './labels.ts'
import type { Fields, LeadAction } from './lead-action.ts'
import { noLead } from './view.ts'

const actions: Record<string, LeadAction> = {
  ...labelActions,
  reached: {
    changesLead: true,
    run: async ({ deps, lead, actor, seen }) =>
      unlessDuplicate(
        await deps.actions.act('contacted', lead.id, actor, seen),
        `${fullName(lead)} was reached. Reminders and follow-up emails stop.`,
      ),
  },
  'no answer': {
    changesLead: false,
    run: async ({ deps, lead, actor }) =>
      unlessDuplicate(
        await deps.actions.act('attempted', lead.id, actor),
        `Recorded: no answer from ${fullName(lead)}.`,
      ),
  },
  note: {
    changesLead: false,
    run: async ({ deps, lead, fields, actor }) => {
      const result = await deps.actions.addNote(lead.id, actor, fields['note'] ?? '')
      return typeof result === 'object' ? result : { outcome: result, text: 'Note saved.' }
    },
  },
  assign: {
    changesLead: true,
    run: async ({ deps, lead, fields, actor, seen }) => {
      const choices = await deps.actions.choices()
      const choice = choices.find(({ id }) => id === fields['counselor'])
      if (choice === undefined) return { problem: 'Choose who follows up.' }
      const { outcome, standIn } = await deps.actions.assign(lead.id, actor, choice.id, seen)
      const away = standIn ? ` While they are away, ${standIn.name} gets the messages.` : ''
      return { outcome, text: `Assigned to ${choice.name}.${away}` }
    },
  },
  stage: {
    changesLead: true,
    run: async ({ deps, lead, fields, ...by }) => {
      const stage = (stages[lead.kind] as readonly string[]).find(one => one === fields['stage'] && one !== 'closed')
      if (stage === undefined) return { problem: 'Choose a stage.' }
      const stopped = stage === 'new' ? '' : await whatStops(deps, lead)
      const outcome =
        stage === 'new'
          ? await deps.followUps.reopen(lead, { ...from(fields), ...by })
          : await deps.store.changeStage(lead.id, { stage, closedReason: null, ...from(fields), ...by })
      return unlessDuplicate(outcome, `${fullName(lead)} is now ${stageName(stage)}.${stopped}`)
    },
  },
  close: {
    changesLead: true,
    run: async ({ deps, lead, fields, ...by }) => {
      const closedReason = reasonsToClose.find(one => one === fields['reason'])
      if (closedReason === undefined) return { problem: 'Choose why the lead is closed.' }
      const change = { stage: 'closed', closedReason, ...from(fields), ...by }
      const outcome = await deps.store.changeStage(lead.id, change)
      return unlessDuplicate(outcome, `Closed: ${closedReason}.`)
    },
  },
  pause: {
    changesLead: true,
    run: async ({ deps, lead, fields: _, ...by }) => ({
      outcome: await deps.store.pauseLead(lead.id, by),
      text: 'The follow-up is paused until someone resumes it.',
      undo: { do: 'resume' },
    }),
  },
  'call again': {
    changesLead: true,
    run: async ({ deps, lead, fields, actor, seen }) => {
      const at = { day: fields['day'] ?? '', time: fields['time'] ?? '' }
      const result = await deps.actions.callAgain(lead.id, actor, at, seen)
      if (typeof result === 'string') return { outcome: result, text: '' }
      if ('problem' in result) return result
      const text = `Paused ${result.words}. Then the counselor gets an email.`
      return { outcome: 'done', text, undo: { do: 'resume' } }
    },
  },
  resume: {
    changesLead: false,
    run: async ({ deps, lead, actor }) => ({
      outcome: await deps.actions.resume(lead.id, actor),
      text: 'The follow-up has resumed.',
      undo: lead.pausedUntil === null ? { do: 'pause' } : undefined,
    }),
  },
  'withdraw consent': {
    changesLead: false,
    run: async ({ deps, lead, actor, now }) => ({
      outcome: await deps.store.withdrawConsent(lead.id, { actor, now }),
      text: `Recorded: ${fullName(lead)} took back the agreement to calls and texts.`,
    }),
  },
  skip: {
    changesLead: true,
    run: async ({ deps, lead, fields, ...by }) => ({
      outcome: await deps.followUps.skip(lead.id, Number(fields['step']), by),
      text: 'Skipped. The next one follows at its own time.',
    }),
  },
}

/** What a lead that leaves *new* gets no more, as a sentence with a space before it; empty if nothing was planned. */
async function whatStops({ store }: ConsoleDeps, lead: Lead): Promise<string> {
  const followUp = lead.stage === 'new' ? await store.readFollowUp(lead.id) : undefined
  if (followUp === undefined) return ''
  const { cadence, steps } = followUp
  const planned = new Set(
    steps.filter(({ state }) => state === 'due').map(({ step }) => trackOf(stepAt(cadence, step))),
  )
  const words = [
    ...(planned.has('staff') ? ['reminders'] : []),
    ...(planned.has('student') ? ['follow-up emails'] : []),
  ]
  return words.length === 0 ? '' : ` ${capital(words.join(' and '))} have stopped.`
}

/** A form may name the stage that the lead had on the page: then it changes the lead from that one alone. */
const from = ({ from }: Fields) => (from === undefined ? {} : { from: [from] })

export const leadActionNamed = (name: string): LeadAction | undefined =>
  Object.hasOwn(actions, name) ? actions[name] : undefined

/** Undoes what an entry of the lead's timeline records. */
export async function undoEntry(
  c: ConsoleContext,
  { store, clock, actions }: ConsoleDeps,
  lead: Lead,
  id: number | undefined,
): Promise<ActionResult> {
  const found = id === undefined ? undefined : await store.readEntry(id)
  const entry = found?.leadId === lead.id ? found : undefined
  if (!mayUndo(c.get('operator'), lead, entry)) throw noLead()
  if (id === undefined || entry === undefined) return 'gone'
  const now = clock.now()
  if (entry.kind === 'message') return store.cancelMessage(id, { now })
  if (canTakeBack(entry, now)) return store.takeBack(id, { now })
  return actions.undo('undo', id, c.get('operator').actor)
}

/** What an action on the stage says; a lead stays closed while the person has another open one. */
const unlessDuplicate = (outcome: StageResult, text: string) =>
  outcome === 'duplicate'
    ? { problem: 'This lead cannot be opened again: the person has another open lead.' }
    : { outcome, text }

/** The stages that a person may choose now; one that closed automatically counts as new. */
export const stageChoices = ({ kind, stage, closedReason }: Lead): string[] =>
  stages[kind].filter(one => one !== 'closed' && one !== (endedByItself(closedReason) ? undefined : stage))
