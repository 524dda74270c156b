/** The commands of `frontdesk leads` that change a lead. */
import { type Command, Option } from 'commander'
import type { Settings } from '../../config/settings.ts'
import { createDateFormat, dayAsOf, shortDuration } from '../../content/date-format.ts'
import { whyNotWorking, worksOnLeads } from '../../follow-up/working-staff.ts'
import { addNote } from '../../lead-actions/add-note.ts'
import { assign as assignLead } from '../../lead-actions/assign.ts'
import { changeStage as changeLeadStage } from '../../lead-actions/change-stage.ts'
import { close } from '../../lead-actions/close.ts'
import { endCallback } from '../../lead-actions/end-callback.ts'
import { needNoAnswer } from '../../lead-actions/need-no-answer.ts'
import { pause as pauseFollowUp } from '../../lead-actions/pause.ts'
import { planCallback } from '../../lead-actions/plan-callback.ts'
import { callOutcomeNamed, recordCall } from '../../lead-actions/record-call.ts'
import { resume as resumeFollowUp } from '../../lead-actions/resume.ts'
import type { Invalid, Services } from '../../lead-actions/services.ts'
import { withdrawConsent as withdrawLeadConsent } from '../../lead-actions/withdraw-consent.ts'
import { callWords, plainOutcomes } from '../../leads/lead/call-outcomes.ts'
import { askedReasons } from '../../leads/lead/erasure-reasons.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { MANAGER, memberName, TEAM } from '../../leads/lead/staff.ts'
import { type ClosedReason, closedReasons, stageName, stageNamed, stages } from '../../leads/lead/stages.ts'
import type { StageChanged } from '../../store/actions/change-stage.ts'
import { actorNamed, type By, byOption } from '../terminal/actor.ts'
import { print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { findLead, leadDoesNotExist, leadServices, withStore } from '../terminal/with-store.ts'
import { erase } from './erase.ts'
import { findLeadId } from './find.ts'
import { nameOf } from './lead-as-text.ts'

export function addLeadActions(command: Command): void {
  command
    .command('stage <lead> <stage>')
    .description('change the stage of a lead')
    .addOption(byOption())
    .addOption(new Option('--reason <reason>', 'why the lead is closed').choices(closedReasons))
    .action(changeStage)
  command
    .command('assign <lead> <counselor>')
    .description('assign a lead to a counselor, by id, to the manager, or to the team: team')
    .addOption(byOption())
    .action(assign)
  command.command('note <lead> <text...>').description('add a note to a lead').addOption(byOption()).action(note)
  command
    .command('call <lead> <outcome> [note...]')
    .description('record the outcome of a call: reached, no-answer, voicemail, busy or wrong-number')
    .addOption(byOption())
    .action(call)
  command
    .command('callback <lead> <when> [about...]')
    .description('promise a callback: 1h, 30m, or 2026-11-24T15:00 where the person is; 2026-11-24 means the opening')
    .option('--for <counselor>', 'who calls, by id, or the manager. Default: the counselor of the lead')
    .addOption(byOption())
    .action(callback)
  command
    .command('end-callback <lead> [words...]')
    .description('end the next callback of a lead, because what it was about is done')
    .option('--called-off', 'it was called off')
    .addOption(byOption())
    .action(callbackEnd)
  command
    .command('callbacks')
    .description('list the next callback of each lead, the most overdue first')
    .action(listCallbacks)
  command
    .command('no-answer-needed <lead>')
    .description('record that a person who wrote back needs no answer; reminders about it stop')
    .addOption(byOption())
    .action(noAnswerNeeded)
  command
    .command('pause <lead>')
    .description('pause the follow-up of a lead until it is resumed')
    .addOption(byOption())
    .action(pause)
  command
    .command('resume <lead>')
    .description('resume the follow-up of a lead; the time of the pause does not count')
    .addOption(byOption())
    .action(resume)
  command
    .command('withdraw-consent <lead>')
    .description('record that the person took back the agreement to calls and texts')
    .addOption(byOption())
    .action(withdrawConsent)
  command
    .command('erase <person>')
    .description('erase a person, by lead id, email address or phone number, with everything they sent')
    .addOption(new Option('--why <reason>', 'why, for the register of erasures').choices(askedReasons).default('asked'))
    .addOption(byOption('the register of erasures'))
    .option('--yes', 'erase; without it, the command only says what it would erase')
    .action(erase)
}

async function changeStage(id: string, name: string, { reason, by }: { reason?: ClosedReason } & By): Promise<void> {
  await act(id, by, async (services, lead, as) => {
    const stage = stageNamed(name)
    requireStage(lead, stage, reason)
    const target = reason === undefined ? stageName(stage) : `${stage} (${reason})`
    return {
      result:
        reason === undefined
          ? await changeLeadStage(services, lead, { stage }, as)
          : await close(services, lead, { reason }, as),
      done: `Lead ${lead.id}: ${stageName(lead.stage)} → ${target}.`,
      before: `Lead ${lead.id} is already ${target}.`,
    }
  })
}

function requireStage({ kind }: Lead, stage: string, reason: ClosedReason | undefined): void {
  const known: readonly string[] = stages[kind]
  if (!known.includes(stage)) {
    throw new CommandFailed(
      `"${stage}" is not a stage of ${kind} leads; use one of: ${known.map(stageName).join(', ')}.`,
    )
  }
  if (stage === 'closed' && reason === undefined) {
    throw new CommandFailed(`Closing a lead needs a --reason; use one of: ${closedReasons.join(', ')}.`)
  }
  if (stage !== 'closed' && reason !== undefined) {
    throw new CommandFailed(`--reason is only for closing a lead, not for the stage ${stage}.`)
  }
}

async function assign(id: string, to: string, { by }: By): Promise<void> {
  await act(id, by, async (services, lead, as) => {
    const { settings, calendar, clock } = services
    const owner = ownerNamed(to, settings)
    const name = nameOf(owner, settings)
    const { standIn, ...result } = await assignLead(services, lead, { owner }, as)
    const away = standIn
      ? ` ${name} is away until ${dayAsOf(standIn.until, calendar.today(clock.now()), settings.school)}; ${standIn.name} gets the messages until then.`
      : ''
    return {
      result,
      done: `Lead ${lead.id} was reassigned from ${nameOf(lead.owner, settings)} to ${name}.${away}`,
      before: `Lead ${lead.id} is already assigned to ${name}.`,
    }
  })
}

/** The owner with that id, or `manager`; null for `team`. Throws CommandFailed unless they work on leads. */
export function ownerNamed(id: string, { admissions }: Settings): string | null {
  const { counselors, manager } = admissions
  const known = [...counselors.map(counselor => counselor.id), ...(manager ? [MANAGER] : []), TEAM]
  if (!known.includes(id)) {
    throw new CommandFailed(`No one is called "${id}" in the settings; use one of: ${known.join(', ')}.`)
  }
  if (!worksOnLeads(id, admissions)) {
    throw new CommandFailed(
      `${memberName(id, admissions)} ${whyNotWorking(id, admissions)}, so no lead may go to them.`,
    )
  }
  return id === TEAM ? null : id
}

async function note(id: string, words: string[], { by }: By): Promise<void> {
  await act(id, by, async (services, lead, as) => ({
    result: await addNote(services, lead, { text: words.join(' ') }, as),
    done: `Note saved on lead ${lead.id}.`,
    before: '',
  }))
}

async function call(id: string, name: string, words: string[], { by }: By): Promise<void> {
  const outcome = callOutcomeNamed(name.replace('-', ' '))
  if (outcome === undefined) throw new CommandFailed(`"${name}" is not an outcome; use one of: ${outcomeNames}.`)
  await act(id, by, async (services, lead, as) => ({
    result: await recordCall(services, lead, { outcome, text: words.join(' ') }, as),
    done: `Recorded for lead ${lead.id}: ${callWords[outcome]}.`,
    before: 'Nothing changed: that was recorded a moment ago.',
  }))
}

const outcomeNames = plainOutcomes.map(outcome => outcome.replace(' ', '-')).join(', ')

async function callback(
  id: string,
  when: string,
  about: string[],
  { for: assignee, by }: { for?: string } & By,
): Promise<void> {
  await act(id, by, async (services, lead, as) => {
    const result = await planCallback(services, lead, { when, text: about.join(' '), assignee }, as)
    if (result.outcome === 'invalid') throw new CommandFailed(`${result.problem} Use 1h, 30m or 2026-11-24T15:00.`)
    const done = `Callback to lead ${lead.id} promised for ${result.words}.`
    return { result, done, before: `Lead ${lead.id} has such a callback already.` }
  })
}

async function callbackEnd(id: string, words: string[], { calledOff, by }: { calledOff?: true } & By): Promise<void> {
  await act(id, by, async (services, lead, as) => {
    const [next] = await services.store.listCallbacks(lead.id)
    const how = calledOff ? 'called off' : 'done'
    const ended = { callback: next?.id ?? 0, how, text: words.join(' ') } as const
    return {
      result: await endCallback(services, lead, ended, as),
      done: `The next callback to lead ${lead.id} is ${how}.`,
      before: `Lead ${lead.id} has no callback.`,
    }
  })
}

async function noAnswerNeeded(id: string, { by }: By): Promise<void> {
  await act(id, by, async (services, lead, as) => ({
    result: await needNoAnswer(services, lead, {}, as),
    done: `Recorded for lead ${lead.id}: no answer needed.`,
    before: `Lead ${lead.id} is not waiting for an answer.`,
  }))
}

/** How many callbacks a list has. */
const MOST_CALLBACKS = 500

async function listCallbacks(): Promise<void> {
  await withStore(async (store, { config }) => {
    const { settings } = config
    const moment = createDateFormat(settings.school)
    const found = await store.listDueCallbacks({ until: Number.MAX_SAFE_INTEGER, limit: MOST_CALLBACKS })
    const now = Date.now()
    const lines = found.map(({ lead, dueAt, words, assignee }) =>
      [
        `${dueAt <= now ? 'overdue: ' : ''}${moment(dueAt)}`,
        `lead ${lead.id}`,
        fullName(lead),
        lead.phone,
        nameOf(assignee ?? lead.owner, settings),
        words,
      ]
        .filter(Boolean)
        .join('  '),
    )
    print(lines.length === 0 ? 'No callback is promised.' : lines.join('\n'))
  })
}

async function pause(id: string, { by }: By): Promise<void> {
  await act(id, by, async (services, lead, as) => ({
    result: await pauseFollowUp(services, lead, {}, as),
    done: `Follow-up of lead ${lead.id} is paused, without an end. To resume: npx frontdesk leads resume ${lead.id}`,
    before: `Follow-up of lead ${lead.id} is already paused.`,
  }))
}

async function resume(id: string, { by }: By): Promise<void> {
  await act(id, by, async (services, lead, as) => {
    const pausedFor = Math.max(0, services.clock.now() - (lead.pausedAt ?? services.clock.now()))
    return {
      result: await resumeFollowUp(services, lead, {}, as),
      done: `Follow-up of lead ${lead.id} has resumed after a pause of ${shortDuration(pausedFor)}.`,
      before: `Follow-up of lead ${lead.id} is not paused.`,
    }
  })
}

async function withdrawConsent(id: string, { by }: By): Promise<void> {
  await act(id, by, async (services, lead, as) => ({
    result: await withdrawLeadConsent(services, lead, {}, as),
    done: `Lead ${lead.id} took back the agreement to calls and texts.`,
    before: `Lead ${lead.id} has not agreed to calls and texts.`,
  }))
}

/** Changes a lead, and prints `done`, or `before` if there was nothing to change. */
async function act(
  text: string,
  by: string | undefined,
  work: (
    services: Services,
    lead: Lead,
    by: { actor: string },
  ) => Promise<{ result: StageChanged | Invalid; done: string; before: string }>,
): Promise<void> {
  await withStore(async (store, { config }) => {
    const actor = actorNamed(by, config.settings)
    const id = await findLeadId(store, text, config.settings)
    const lead = await findLead(store, id)
    const { result, done, before } = await work(await leadServices(store, config), lead, { actor })
    if (result.outcome === 'invalid') throw new CommandFailed(result.problem)
    if (result.outcome === 'gone') throw leadDoesNotExist(id)
    if (result.outcome === 'duplicate')
      throw new CommandFailed(`Lead ${id} cannot be reopened: ${lead.email ?? lead.phone} has another open lead.`)
    print(result.outcome === 'done' ? done : before)
  })
}
