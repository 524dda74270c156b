/** What the buttons and forms of a lead's page do, and what the page says afterward. */
import { stepAt, trackOf } from '../../follow-up/cadence.ts'
import { addNote, noteSaved } from '../../lead-actions/add-note.ts'
import { assign, assignees, ownerOf } from '../../lead-actions/assign.ts'
import { changeStage } from '../../lead-actions/change-stage.ts'
import { close, reasonsToClose } from '../../lead-actions/close.ts'
import { correct } from '../../lead-actions/correct.ts'
import { endCallback } from '../../lead-actions/end-callback.ts'
import { needNoAnswer } from '../../lead-actions/need-no-answer.ts'
import { pause } from '../../lead-actions/pause.ts'
import { planCallback } from '../../lead-actions/plan-callback.ts'
import { recordCall } from '../../lead-actions/record-call.ts'
import { resume } from '../../lead-actions/resume.ts'
import { skip } from '../../lead-actions/skip.ts'
import { withdrawConsent } from '../../lead-actions/withdraw-consent.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { type CallOutcome, callOutcomes, triesAgain } from '../../leads/lead/call-outcomes.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { endedByItself, stageName, stages } from '../../leads/lead/stages.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import type { Flash } from '../frame/flash.ts'
import { numberOf } from '../frame/form-fields.ts'
import { callbackChoices } from './callback-choices.ts'
import { labelButtons } from './label-forms.ts'
import { type Fields, type LeadButton, say } from './lead-button.ts'

const buttons: Record<string, LeadButton> = {
  ...labelButtons,
  ...Object.fromEntries(callOutcomes.map(outcome => [outcome, callButton(outcome)])),
  // A note is saved regardless of what others have done in the meantime.
  note: async ({ deps, lead, fields, by: { seen: _, ...by } }) =>
    say(await addNote(deps, lead, { text: fields['note'] ?? '' }, by), { text: noteSaved(lead) }),
  assign: async ({ deps, lead, fields, by }) => {
    const choice = (await assignees(deps)).find(({ id }) => id === fields['counselor'])
    if (choice === undefined) return { problem: 'Choose who follows up.' }
    const { standIn, ...result } = await assign(deps, lead, { owner: ownerOf(choice.id) }, by)
    const away = standIn ? ` While they are away, ${standIn.name} gets the messages.` : ''
    return say(result, { text: `Assigned to ${choice.name}.${away}` })
  },
  stage: async ({ deps, lead, fields, by }) => {
    const stage = fields['stage'] ?? ''
    const stopped = stage === 'new' ? '' : await whatStops(deps, lead)
    const result = await changeStage(deps, lead, { stage, from: from(fields) }, by)
    return say(result, { text: `${fullName(lead)} is now ${stageName(stage)}.${stopped}` })
  },
  close: async ({ deps, lead, fields, by }) => {
    const reason = reasonsToClose.find(one => one === fields['reason'])
    if (reason === undefined) return { problem: 'Choose why the lead is closed.' }
    return say(await close(deps, lead, { reason, from: from(fields) }, by), { text: `Closed: ${reason}.` })
  },
  pause: async ({ deps, lead, by }) => {
    const text = 'The follow-up is paused until someone resumes it.'
    return say(await pause(deps, lead, {}, by), { text, undo: { do: 'resume' } })
  },
  callback: async ({ deps, lead, fields, by }) => {
    const { when = [fields['day'], fields['time']].filter(Boolean).join('T'), text = fields['note'] } = fields
    const clock = fields['clock'] === 'school' ? 'school' : 'theirs'
    const result = await planCallback(
      deps,
      lead,
      { when, clock, text, assignee: fields['assignee'] || undefined, callback: numberOf(fields['callback']) },
      by,
    )
    if (result.outcome === 'invalid') return result
    const waits = lead.stage === 'new' ? ' Until it is done, reminders and follow-up emails wait.' : ''
    const before = 'Nothing changed: this callback already exists, or is already done.'
    return say(result, { text: `Callback promised for ${result.words}.${waits}`, before })
  },
  'callback done': callbackEnd('done', 'The callback is done.'),
  'callback called off': callbackEnd('called off', 'The callback is called off.'),
  'no answer needed': async ({ deps, lead, by }) =>
    say(await needNoAnswer(deps, lead, {}, by), { text: `Recorded: ${fullName(lead)} needs no answer.` }),
  'use number': async ({ deps, lead, fields, by }) => {
    const { phone = '' } = fields
    const result = await correct(deps, lead, { email: lead.email ?? '', phone, again: [] }, by)
    if (result.outcome === 'invalid') return { problem: result.problems.phone ?? 'Choose a number.' }
    if (result.outcome === 'taken')
      return { problem: `Lead ${result.by} has this number. If it is the same person, merge the two.` }
    return say(result, { text: `${phone} is the number to call from now on.` })
  },
  resume: async ({ deps, lead, by }) =>
    say(await resume(deps, lead, {}, by), { text: 'The follow-up has resumed.', undo: { do: 'pause' } }),
  'withdraw consent': async ({ deps, lead, by }) => {
    const text = `Recorded: ${fullName(lead)} took back the agreement to calls and texts.`
    return say(await withdrawConsent(deps, lead, {}, by), { text })
  },
  skip: async ({ deps, lead, fields, by }) =>
    say(await skip(deps, lead, { step: Number(fields['step']) }, by), {
      text: 'Skipped. The next one follows at its own time.',
    }),
}

function callbackEnd(how: 'done' | 'called off', text: string): LeadButton {
  return async ({ deps, lead, fields, by }) => {
    const callback = numberOf(fields['callback']) ?? 0
    return say(await endCallback(deps, lead, { callback, how, text: fields['text'] }, by), { text })
  }
}

/** Records the outcome of a call, with the note in the field. */
function callButton(outcome: CallOutcome): LeadButton {
  return async ({ deps, lead, fields, by }) => {
    const isNew = lead.stage === 'new' || endedByItself(lead.closedReason)
    const noted = fields['note']?.trim() ? ' The note is saved.' : ''
    const text = said[outcome](fullName(lead), isNew) + noted
    const result = await recordCall(deps, lead, { outcome, text: fields['note'], when: fields['asked'] }, by)
    return say(result, triesAgain(outcome) ? { text, offer: tryAgain(deps, lead) } : { text })
  }
}

/** One-tap callbacks for trying again. */
const tryAgain = (deps: ConsoleDeps, lead: Lead): Flash['offer'] => ({
  words: 'Try again:',
  path: `/leads/${lead.id}`,
  name: 'when',
  choices: callbackChoices({ ...deps, now: deps.clock.now() }, lead)
    .filter((_, index, { length }) => index === 0 || index >= length - 2)
    .map(({ when, name }) => ({ value: when, name })),
})

const said: Record<CallOutcome, (name: string, isNew: boolean) => string> = {
  reached: (name, isNew) =>
    isNew ? `${name} was reached. Reminders and follow-up emails stop.` : `Recorded: you spoke with ${name}.`,
  'no answer': name => `Recorded: no answer from ${name}.`,
  voicemail: name => `Recorded: a voicemail for ${name}.`,
  busy: name => `Recorded: the line of ${name} was busy.`,
  'wrong number': name => `Recorded: wrong number. Ask ${name} for another by email, or correct it.`,
  'call back': name => `Recorded: ${name} asked to be called back, and the callback is promised.`,
}

/** What the person no longer gets once the lead leaves *new*, as a sentence after a space; empty for nothing. */
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

/** A form may name the stage that its page showed. Then the lead changes only if it still has that stage. */
const from = ({ from }: Fields) => (from === undefined ? undefined : [from])

export const leadButtonNamed = (name: string): LeadButton | undefined =>
  Object.hasOwn(buttons, name) ? buttons[name] : undefined

/** The stages that a person can choose now; a lead that closed automatically counts as new. */
export const stageChoices = ({ kind, stage, closedReason }: Lead): string[] =>
  stages[kind].filter(one => one !== 'closed' && one !== (endedByItself(closedReason) ? undefined : stage))
