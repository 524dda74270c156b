/** `frontdesk leads …`: what is done with one lead, and that it was done on the command line. */
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { createCalendar } from '../follow-up/calendar.ts'
import { restartOf, resumption } from '../follow-up/schedule.ts'
import { parseEmail } from '../leads/email.ts'
import type { Lead } from '../leads/lead.ts'
import { type ClosedReason, closedReasons, stages } from '../leads/stages.ts'
import { isBlank, textProblem, tidy } from '../leads/text.ts'
import { removeCaptured } from '../mail/file-transport.ts'
import type { ActionResult } from '../store/actions.ts'
import type { Store } from '../store/store.ts'
import { CommandFailed } from './command-failed.ts'
import { findCounselor } from './counselors.ts'
import { nameOf } from './lead-text.ts'
import { duration, parseId, print } from './output.ts'
import { hashOf } from './suppressions.ts'
import { withStore } from './with-store.ts'

/** Who stands in the timeline. */
const actor = 'command line'

export function addLeadActions(command: Command): void {
  command
    .command('stage <id> <stage>')
    .description('move a lead to a stage')
    .addOption(new Option('--reason <reason>', 'why it is closed').choices(closedReasons))
    .action(moveToStage)
  command
    .command('assign <id> <counselor>')
    .description('give a lead to a counselor by id, or to the team: team')
    .action(assign)
  command
    .command('note <id> <text...>')
    .description('write something down about a lead')
    .option(
      '--attempt',
      'it was a try to reach them: it counts as the first attempt, not as contact',
    )
    .action(note)
  command.command('pause <id>').description('let the follow-up of a lead rest').action(pause)
  command
    .command('resume <id>')
    .description('take the follow-up up again; the time of the pause does not count')
    .action(resume)
  command
    .command('erase <id-or-address>')
    .description('erase the person behind a lead, or an e-mail address, with all that they sent')
    .option('--yes', 'really do it; without it, you are told what would be erased')
    .action(erase)
}

async function moveToStage(
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
        `Lead ${lead.id} cannot be opened again: ${lead.email} has another open lead.`,
      )
    })
    const where = reason === undefined ? stage : `${stage}: ${reason}`
    return {
      outcome,
      done: `Lead ${lead.id} was ${lead.stage} and is ${where} now.`,
      before: `Lead ${lead.id} is ${where} already.`,
    }
  })
}

/** Who is new again is reminded of, and closed in the end, as if they had just written in. */
async function restartsOf(store: Store, { id, state }: Lead, { settings }: Config, now: number) {
  const followUp = await store.readFollowUp(id)
  if (followUp === undefined) return []
  const clocks = createCalendar(settings).hoursFor(state)
  return (['staff', 'end'] as const).flatMap(
    track => restartOf(followUp.cadence, track, now, clocks) ?? [],
  )
}

function requireStage({ id, kind }: Lead, stage: string, reason: ClosedReason | undefined): void {
  const known: readonly string[] = stages[kind]
  if (!known.includes(stage)) {
    throw new CommandFailed(`Lead ${id} is a ${kind}: its stages are ${known.join(', ')}.`)
  }
  if (stage === 'closed' && reason === undefined) {
    throw new CommandFailed(`Closing needs a --reason: ${closedReasons.join(', ')}.`)
  }
  if (stage !== 'closed' && reason !== undefined) {
    throw new CommandFailed(`A --reason is for closing, not for ${stage}.`)
  }
}

/** Both databases say so, each in its way: what the thread of SQLite throws has lost its code. */
const isDuplicate = (error: Error & { code?: string }): boolean =>
  error.code === '23505' || error.message.includes('UNIQUE constraint failed')

async function assign(id: string, to: string): Promise<void> {
  await act(id, async ({ store, lead, config: { settings }, now }) => {
    const owner = to === 'team' ? null : findCounselor(to, settings).id
    const name = nameOf(owner, settings)
    return {
      outcome: await store.assignLead(lead.id, { owner, actor, now }),
      done: `Lead ${lead.id} is looked after by ${name} now; before, by ${nameOf(lead.owner, settings)}.`,
      before: `Lead ${lead.id} is looked after by ${name} already.`,
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
    done: `${attempt ? 'An attempt to reach' : 'A note on'} lead ${lead.id} is written down.`,
    before: '',
  }))
}

async function pause(id: string): Promise<void> {
  await act(id, async ({ store, lead, now }) => ({
    outcome: await store.pauseLead(lead.id, { actor, now }),
    done: `The follow-up of lead ${lead.id} rests until: frontdesk leads resume ${lead.id}`,
    before: `The follow-up of lead ${lead.id} rests already.`,
  }))
}

async function resume(id: string): Promise<void> {
  await act(id, async ({ store, lead, config: { settings }, now }) => {
    const before = `The follow-up of lead ${lead.id} does not rest.`
    if (lead.pausedAt === null) return { outcome: 'before', done: '', before }
    const followUp = await store.readFollowUp(lead.id)
    const clocks = createCalendar(settings).hoursFor(lead.state)
    const plan = followUp
      ? resumption(followUp, lead.pausedAt, now, clocks)
      : { since: lead.createdAt, steps: [] }
    return {
      outcome: await store.resumeLead(lead.id, { ...plan, actor, now }),
      done: `The follow-up of lead ${lead.id} goes on; it rested for ${duration(Math.max(0, now - lead.pausedAt))}.`,
      before,
    }
  })
}

async function erase(who: string, { yes }: { yes?: true }): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const email = parseEmail(who) ?? (await emailOf(store, parseId(who)))
    if (!yes) {
      throw new CommandFailed(
        `This would erase ${email}: every lead of that address, with all submissions, notes and
captured messages, for good. Nothing is erased yet; to do it, add --yes.`,
      )
    }
    const erased = await store.erasePerson(email, {
      addressHash: await hashOf(store, email),
      now,
    })
    if (erased.submissions === 0) throw new CommandFailed(`Nothing is stored of ${email}.`)
    store.announce()
    const files = await removeCaptured(join(config.dataDir, 'mail'), erased.messages)
    print(
      [
        `Erased: ${count(erased.leads, 'lead')}, ${count(erased.submissions, 'submission')} and ${count(files, 'captured message')}. The address is sent no letters any more.`,
        'Out of reach: e-mail that was sent, logs of mail servers, backups.',
        ...(config.database.engine === 'postgres'
          ? ['PostgreSQL overwrites what was deleted with its next vacuum.']
          : []),
      ].join('\n'),
    )
  })
}

async function emailOf(store: Store, id: number): Promise<string> {
  const found = await store.readLead(id)
  if (found === undefined) throw gone(id)
  return found.lead.email
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`

type Context = { store: Store; lead: Lead; config: Config; now: number }

/** Does something to a lead, and says what became of it. */
async function act(
  text: string,
  work: (context: Context) => Promise<{ outcome: ActionResult; done: string; before: string }>,
): Promise<void> {
  const id = parseId(text)
  await withStore(async (store, { config, now }) => {
    const found = await store.readLead(id)
    if (found === undefined) throw gone(id)
    const { outcome, done, before } = await work({ store, lead: found.lead, config, now })
    if (outcome === 'gone') throw gone(id)
    store.announce()
    print(outcome === 'done' ? done : before)
  })
}

const gone = (id: number): CommandFailed => new CommandFailed(`There is no lead ${id}.`)
