/** The commands of `frontdesk leads` that change a lead. */
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import type { Settings } from '../../config/settings.ts'
import { createDateFormat, dayInWords, shortDuration } from '../../content/date-format.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import { callMoment } from '../../follow-up/call-moment.ts'
import { mailboxHash, parseEmail } from '../../leads/body/email.ts'
import { isBlank, textProblem, tidy } from '../../leads/body/text.ts'
import { type AskedReason, askedReasons } from '../../leads/lead/erasing.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { COMMAND_LINE, MANAGER, TEAM } from '../../leads/lead/staff.ts'
import { type ClosedReason, closedReasons, stages } from '../../leads/lead/stages.ts'
import { removeCaptured } from '../../mail/transport/files.ts'
import type { PauseEnd } from '../../store/actions/pauses.ts'
import type { ActionResult } from '../../store/actions/staff-actions.ts'
import type { Store } from '../../store/store.ts'
import { assignLead } from '../../tasks/assign-lead.ts'
import { createAddressees } from '../../tasks/messages/addressees.ts'
import { resume as resumeFollowUp } from '../../tasks/pauses.ts'
import { restartsOf } from '../../tasks/restarts.ts'
import { actorNamed, type By, byOption } from '../terminal/actor.ts'
import { parseId } from '../terminal/arguments.ts'
import { count, print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { addressSecretOf, findLead, leadDoesNotExist, withStore } from '../terminal/with-store.ts'
import { findLeadId } from './find.ts'
import { nameOf } from './text.ts'

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
  command
    .command('note <lead> <text...>')
    .description('add a note to a lead')
    .addOption(byOption())
    .option('--attempt', 'record a call attempt without an answer: the lead does not count as reached')
    .action(note)
  command
    .command('pause <lead>')
    .description('pause the follow-up of a lead, until it is resumed or until a moment')
    .option(
      '--until <time>',
      'resume then, and remind the counselor to call again: 2026-11-24, 2026-11-24T15:00 (at the school)',
    )
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
    .command('erase <id-or-address>')
    .description('erase a person, by lead id or email address, with everything they sent')
    .addOption(new Option('--why <reason>', 'why, for the register of erasures').choices(askedReasons).default('asked'))
    .addOption(byOption('the register of erasures'))
    .option('--yes', 'erase; without it, the command only says what it would erase')
    .action(erase)
}

async function changeStage(id: string, stage: string, { reason, by }: { reason?: ClosedReason } & By): Promise<void> {
  await act(id, by, async ({ store, lead, config, actor, now }) => {
    requireStage(lead, stage, reason)
    const deps = { store, calendar: createCalendar(config.settings) }
    const restarts = stage === 'new' ? await restartsOf(deps, lead, now) : []
    const to = { stage, closedReason: reason ?? null, restarts, actor, now }
    const outcome = await store.changeStage(lead.id, to)
    if (outcome === 'duplicate')
      throw new CommandFailed(`Lead ${lead.id} cannot be reopened: ${lead.email} has another open lead.`)
    const target = reason === undefined ? stage : `${stage} (${reason})`
    return {
      outcome,
      done: `Lead ${lead.id}: ${lead.stage} → ${target}.`,
      before: `Lead ${lead.id} is already ${target}.`,
    }
  })
}

function requireStage({ kind }: Lead, stage: string, reason: ClosedReason | undefined): void {
  const known: readonly string[] = stages[kind]
  if (!known.includes(stage)) {
    throw new CommandFailed(`"${stage}" is not a stage of ${kind} leads; use one of: ${known.join(', ')}.`)
  }
  if (stage === 'closed' && reason === undefined) {
    throw new CommandFailed(`Closing a lead needs a --reason; use one of: ${closedReasons.join(', ')}.`)
  }
  if (stage !== 'closed' && reason !== undefined) {
    throw new CommandFailed(`--reason is only for closing a lead, not for the stage ${stage}.`)
  }
}

async function assign(id: string, to: string, { by }: By): Promise<void> {
  await act(id, by, async ({ store, lead, config, actor, now }) => {
    const { settings } = config
    const owner = ownerNamed(to, settings)
    const name = nameOf(owner, settings)
    const calendar = createCalendar(settings)
    const addressees = createAddressees({ config, store, calendar })
    const context = { store, calendar, addressees }
    const { outcome, standIn } = await assignLead(context, lead, { owner, actor, now })
    const away = standIn
      ? ` ${name} is away until ${dayInWords(standIn.until, settings.school)}; ${standIn.name} gets the messages until then.`
      : ''
    return {
      outcome,
      done: `Lead ${lead.id} was reassigned from ${nameOf(lead.owner, settings)} to ${name}.${away}`,
      before: `Lead ${lead.id} is already assigned to ${name}.`,
    }
  })
}

/** The owner with that id, or `manager`; null for `team`. Throws CommandFailed, which names those that exist. */
export function ownerNamed(id: string, { admissions }: Settings): string | null {
  const { counselors, manager } = admissions
  const known = [...counselors.map(counselor => counselor.id), ...(manager ? [MANAGER] : []), TEAM]
  if (!known.includes(id)) {
    throw new CommandFailed(`No one is called "${id}" in the settings; use one of: ${known.join(', ')}.`)
  }
  return id === TEAM ? null : id
}

async function note(id: string, words: string[], { attempt, by }: { attempt?: true } & By): Promise<void> {
  const text = tidy(words.join(' '))
  const problem = isBlank(text) ? 'must not be empty' : textProblem(text, 'many')
  if (problem !== undefined) throw new CommandFailed(`A note ${problem}.`)
  await act(id, by, async ({ store, lead, actor, now }) => ({
    outcome: attempt
      ? await store.recordCallAttempt(lead.id, { detail: text, actor, now })
      : await store.addNote(lead.id, { text, actor, now }),
    done: `${attempt ? 'Call attempt' : 'Note'} saved on lead ${lead.id}.`,
    before: '',
  }))
}

async function pause(id: string, { until, by }: { until?: string } & By): Promise<void> {
  await act(id, by, async ({ store, lead, config: { settings }, actor, now }) => {
    const end = until === undefined ? undefined : pauseEnd(until, lead, settings, now)
    const then = end
      ? `paused ${end.words}. Then it resumes, and ${nameOf(lead.owner, settings)} gets an email.`
      : `paused, without an end. To resume: npx frontdesk leads resume ${lead.id}`
    return {
      outcome: await store.pauseLead(lead.id, { end, actor, now }),
      done: `Follow-up of lead ${lead.id} is ${then}`,
      before: `Follow-up of lead ${lead.id} is already paused.`,
    }
  })
}

/** Reads 2026-11-24 or 2026-11-24T15:00, at the school. Throws CommandFailed. */
function pauseEnd(text: string, lead: Lead, settings: Settings, now: number): PauseEnd {
  const [, day = '', time = ''] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?$/.exec(text) ?? []
  const hours = createCalendar(settings).hoursFor(lead.state).school
  const until = callMoment({ day, time }, { hours, timeZone: settings.school.timeZone, now })
  if (typeof until === 'number') return { until, words: `until ${createDateFormat(settings.school)(until)}` }
  throw new CommandFailed(`"${text}" is not a moment within the next year; use 2026-11-24 or 2026-11-24T15:00`)
}

async function resume(id: string, { by }: By): Promise<void> {
  await act(id, by, async ({ store, lead, config: { settings }, actor, now }) => {
    const calendar = createCalendar(settings)
    return {
      outcome: await resumeFollowUp({ store, calendar }, lead, { actor, now }),
      done: `Follow-up of lead ${lead.id} has resumed after a pause of ${shortDuration(Math.max(0, now - (lead.pausedAt ?? now)))}.`,
      before: `Follow-up of lead ${lead.id} is not paused.`,
    }
  })
}

async function withdrawConsent(id: string, { by }: By): Promise<void> {
  await act(id, by, async ({ store, lead, actor, now }) => ({
    outcome: await store.withdrawConsent(lead.id, { actor, now }),
    done: `Lead ${lead.id} took back the agreement to calls and texts.`,
    before: `Lead ${lead.id} has not agreed to calls and texts.`,
  }))
}

type Erase = { yes?: true; why: AskedReason } & By

async function erase(idOrAddress: string, { yes, why, by }: Erase): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const email = parseEmail(idOrAddress) ?? (await emailOf(store, parseId(idOrAddress)))
    const addresses = await store.addressesOfPerson(email)
    if (!yes) {
      throw new CommandFailed(
        `This would permanently erase ${addresses.join(' and ')}: every lead with ${addresses.length === 1 ? 'that address' : 'one of these addresses, whose leads were merged'}, and all its submissions,
notes and captured messages. Nothing has been erased yet. To erase, add --yes.`,
      )
    }
    const secret = await addressSecretOf(store)
    const hashes = addresses.map(address => mailboxHash(secret, address))
    const [addressHash, ...otherHashes] = why === 'asked' ? hashes : []
    const rows = await store.readPersonRows(email)
    const erased = await store.erasePerson(email, {
      addressHash,
      otherHashes,
      askedBy: by === undefined ? COMMAND_LINE : `${tidy(by)} (${COMMAND_LINE})`,
      reason: why,
      now,
    })
    const found = erased.submissions + erased.messages.length + rows.length
    if (found === 0 && erased.overwritten) {
      throw new CommandFailed(`Nothing is stored about ${email}.`)
    }
    store.announce()
    const files = await removeCaptured(join(config.dataDir, 'mail'), erased.messages)
    print(
      [
        `Erased ${count(erased.leads, 'lead')}, ${count(erased.submissions, 'submission')} and ${count(files, 'captured message')}.${rows.length === 0 ? '' : ` Erased ${count(rows.length, 'row')} of uploaded lists.`}${why === 'asked' ? ' The address gets no more follow-up emails.' : ''}`,
        'Out of reach: emails already sent, logs of mail servers, backups.',
        ...(erased.overwritten
          ? []
          : [
              'Another program is reading the database file, so what was erased is still in its log, frontdesk.db-wal. Run this command again once that program has ended.',
            ]),
        ...(config.database.engine === 'postgres' ? ['PostgreSQL overwrites deleted rows with its next vacuum.'] : []),
      ].join('\n'),
    )
  })
}

const emailOf = async (store: Store, id: number): Promise<string> => (await findLead(store, id)).email

type Context = { store: Store; lead: Lead; config: Config; actor: string; now: number }

/** Changes a lead, and prints `done`, or `before` when there was nothing to change. */
async function act(
  text: string,
  by: string | undefined,
  work: (context: Context) => Promise<{ outcome: ActionResult; done: string; before: string }>,
): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const actor = actorNamed(by, config.settings)
    const id = await findLeadId(store, text, config.settings)
    const lead = await findLead(store, id)
    const { outcome, done, before } = await work({ store, lead, config, actor, now })
    if (outcome === 'gone') throw leadDoesNotExist(id)
    store.announce()
    print(outcome === 'done' ? done : before)
  })
}
