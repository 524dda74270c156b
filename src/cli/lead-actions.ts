/** The commands of `frontdesk leads` that change a lead. */
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { createCalendar } from '../follow-up/calendar.ts'
import { restartOf, resumption } from '../follow-up/schedule.ts'
import { addressHash, parseEmail } from '../leads/email.ts'
import type { Lead } from '../leads/lead.ts'
import { type ClosedReason, closedReasons, stages } from '../leads/stages.ts'
import { isBlank, textProblem, tidy } from '../leads/text.ts'
import { removeCaptured } from '../mail/file-transport.ts'
import type { ActionResult } from '../store/staff-actions.ts'
import type { Store } from '../store/store.ts'
import { parseId } from './arguments.ts'
import { findCounselor } from './counselors.ts'
import { nameOf } from './lead-text.ts'
import { count, duration, print } from './output.ts'
import { CommandFailed } from './terminal.ts'
import { addressSecretOf, findLead, noSuchLead, withStore } from './with-store.ts'

/** The timeline names this as the one who did it. */
const actor = 'command line'

export function addLeadActions(command: Command): void {
  command
    .command('stage <id> <stage>')
    .description('change the stage of a lead')
    .addOption(new Option('--reason <reason>', 'why the lead is closed').choices(closedReasons))
    .action(changeStage)
  command
    .command('assign <id> <counselor>')
    .description('assign a lead to a counselor, by id, or to the team: team')
    .action(assign)
  command
    .command('note <id> <text...>')
    .description('add a note to a lead')
    .option(
      '--attempt',
      'record a call attempt without an answer: the lead does not count as reached',
    )
    .action(note)
  command.command('pause <id>').description('pause the follow-up of a lead').action(pause)
  command
    .command('resume <id>')
    .description('resume the follow-up of a lead; the time of the pause does not count')
    .action(resume)
  command
    .command('erase <id-or-address>')
    .description('erase a person, by lead id or email address, with everything they sent')
    .option('--yes', 'erase; without it, the command only says what it would erase')
    .action(erase)
}

async function changeStage(
  id: string,
  stage: string,
  { reason }: { reason?: ClosedReason },
): Promise<void> {
  await act(id, async ({ store, lead, config, now }) => {
    requireStage(lead, stage, reason)
    const restarts = stage === 'new' ? await restartsOf(store, lead, config, now) : []
    const to = { stage, closedReason: reason ?? null, restarts, actor, now }
    const outcome = await store.changeStage(lead.id, to).catch(error => {
      if (!isDuplicate(error)) throw error
      throw new CommandFailed(
        `Lead ${lead.id} cannot be reopened: ${lead.email} has another open lead.`,
      )
    })
    const target = reason === undefined ? stage : `${stage}: ${reason}`
    return {
      outcome,
      done: `Lead ${lead.id} changed from ${lead.stage} to ${target}.`,
      before: `Lead ${lead.id} is already ${target}.`,
    }
  })
}

/** A lead that is new again gets reminders, and an automatic close, as if they had just written in. */
async function restartsOf(store: Store, { id, state }: Lead, { settings }: Config, now: number) {
  const followUp = await store.readFollowUp(id)
  if (followUp === undefined) return []
  const hours = createCalendar(settings).hoursFor(state)
  return (['staff', 'end'] as const).flatMap(
    track => restartOf(followUp.cadence, track, now, hours) ?? [],
  )
}

function requireStage({ kind }: Lead, stage: string, reason: ClosedReason | undefined): void {
  const known: readonly string[] = stages[kind]
  if (!known.includes(stage)) {
    throw new CommandFailed(
      `"${stage}" is not a stage of ${kind} leads; use one of: ${known.join(', ')}.`,
    )
  }
  if (stage === 'closed' && reason === undefined) {
    throw new CommandFailed(
      `Closing a lead needs a --reason; use one of: ${closedReasons.join(', ')}.`,
    )
  }
  if (stage !== 'closed' && reason !== undefined) {
    throw new CommandFailed(`--reason is only for closing a lead, not for the stage ${stage}.`)
  }
}

/** Each database says it in its own way. An error from the SQLite thread has lost its code. */
const isDuplicate = (error: Error & { code?: string }): boolean =>
  error.code === '23505' || error.message.includes('UNIQUE constraint failed')

async function assign(id: string, to: string): Promise<void> {
  await act(id, async ({ store, lead, config: { settings }, now }) => {
    const owner = to === 'team' ? null : findCounselor(to, settings).id
    const name = nameOf(owner, settings)
    return {
      outcome: await store.assignLead(lead.id, { owner, actor, now }),
      done: `Lead ${lead.id} was reassigned from ${nameOf(lead.owner, settings)} to ${name}.`,
      before: `Lead ${lead.id} is already assigned to ${name}.`,
    }
  })
}

async function note(id: string, words: string[], { attempt }: { attempt?: true }): Promise<void> {
  const text = tidy(words.join(' '))
  const problem = isBlank(text) ? 'must not be empty' : textProblem(text, 'many')
  if (problem !== undefined) throw new CommandFailed(`A note ${problem}.`)
  await act(id, async ({ store, lead, now }) => ({
    outcome: attempt
      ? await store.recordCallAttempt(lead.id, { detail: text, actor, now })
      : await store.addNote(lead.id, { text, actor, now }),
    done: `${attempt ? 'Call attempt' : 'Note'} saved on lead ${lead.id}.`,
    before: '',
  }))
}

async function pause(id: string): Promise<void> {
  await act(id, async ({ store, lead, now }) => ({
    outcome: await store.pauseLead(lead.id, { actor, now }),
    done: `Follow-up of lead ${lead.id} is paused. To resume: frontdesk leads resume ${lead.id}`,
    before: `Follow-up of lead ${lead.id} is already paused.`,
  }))
}

async function resume(id: string): Promise<void> {
  await act(id, async ({ store, lead, config: { settings }, now }) => {
    const before = `Follow-up of lead ${lead.id} is not paused.`
    if (lead.pausedAt === null) return { outcome: 'before', done: '', before }
    const followUp = await store.readFollowUp(lead.id)
    const hours = createCalendar(settings).hoursFor(lead.state)
    const plan = followUp
      ? resumption(followUp, lead.pausedAt, now, hours)
      : { since: lead.createdAt, steps: [] }
    return {
      outcome: await store.resumeLead(lead.id, { ...plan, actor, now }),
      done: `Follow-up of lead ${lead.id} has resumed after a pause of ${duration(Math.max(0, now - lead.pausedAt))}.`,
      before,
    }
  })
}

async function erase(idOrAddress: string, { yes }: { yes?: true }): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const email = parseEmail(idOrAddress) ?? (await emailOf(store, parseId(idOrAddress)))
    if (!yes) {
      throw new CommandFailed(
        `This would permanently erase ${email}: every lead with that address, and all its submissions,
notes and captured messages. Nothing has been erased yet. To erase, add --yes.`,
      )
    }
    const erased = await store.erasePerson(email, {
      addressHash: addressHash(await addressSecretOf(store), email),
      now,
    })
    if (erased.submissions === 0) throw new CommandFailed(`Nothing is stored about ${email}.`)
    store.announce()
    const files = await removeCaptured(join(config.dataDir, 'mail'), erased.messages)
    print(
      [
        `Erased ${count(erased.leads, 'lead')}, ${count(erased.submissions, 'submission')} and ${count(files, 'captured message')}. The address gets no more follow-up emails.`,
        'Out of reach: emails already sent, logs of mail servers, backups.',
        ...(config.database.engine === 'postgres'
          ? ['PostgreSQL overwrites deleted rows with its next vacuum.']
          : []),
      ].join('\n'),
    )
  })
}

const emailOf = async (store: Store, id: number): Promise<string> =>
  (await findLead(store, id)).lead.email

type Context = { store: Store; lead: Lead; config: Config; now: number }

/** Changes a lead, and prints `done`, or `before` when there was nothing to change. */
async function act(
  text: string,
  work: (context: Context) => Promise<{ outcome: ActionResult; done: string; before: string }>,
): Promise<void> {
  const id = parseId(text)
  await withStore(async (store, { config, now }) => {
    const { lead } = await findLead(store, id)
    const { outcome, done, before } = await work({ store, lead, config, now })
    if (outcome === 'gone') throw noSuchLead(id)
    store.announce()
    print(outcome === 'done' ? done : before)
  })
}
