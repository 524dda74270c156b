/** `frontdesk quarantine`: the quarantined submissions, to release or dismiss. */
import { Command, Option } from 'commander'
import {
  type Decision,
  dismiss as dismissSubmission,
  release as releaseSubmission,
} from '../lead-actions/decide-quarantined.ts'
import type { Kind } from '../leads/body/submission.ts'
import { fullName } from '../leads/lead/lead.ts'
import { moment } from '../platform/time.ts'
import type { QuarantineState } from '../store/filing/quarantined-submissions.ts'
import { actorNamed, type By, byOption } from './terminal/actor.ts'
import { formatOption, parseId, parseLimit } from './terminal/arguments.ts'
import { type Format, print, printRows } from './terminal/output.ts'
import { CommandFailed } from './terminal/terminal.ts'
import { createTimes } from './terminal/times.ts'
import { leadServices, withStore } from './terminal/with-store.ts'

const states: QuarantineState[] = ['held', 'released', 'dismissed']

export function quarantineCommand(): Command {
  const command = new Command('quarantine').description('review quarantined submissions: release or dismiss them')
  command
    .command('list')
    .description('list submissions that are or were quarantined, newest first')
    .addOption(
      new Option('--state <state>', 'only submissions in this state; held means still quarantined')
        .choices(states)
        .default('held'),
    )
    .addOption(new Option('--kind <kind>', 'only submissions of this kind').choices(['site', 'student']))
    .option('--limit <n>', 'list at most this many', '50')
    .addOption(formatOption('table', 'json', 'csv'))
    .action(list)
  command
    .command('release <id...>')
    .description('handle submissions as if they had just arrived')
    .addOption(byOption())
    .action(release)
  command
    .command('dismiss <id...>')
    .description('mark submissions as not worth following up')
    .addOption(byOption())
    .action(dismiss)
  command
    .command('digest')
    .description('send the daily digests now, each to its team')
    .option('--to <address>', 'send them to this address instead')
    // Loads all content, which no other command here needs.
    .action(async (options: { to?: string }) => (await import('./send-quarantine-digest.ts')).sendDigest(options))
  return command
}

type ListOptions = { state: QuarantineState; kind?: Kind; limit: string; format: Format }

async function list({ state, kind, limit, format }: ListOptions): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const time = format === 'table' ? createTimes(settings.school, now).near : moment
    const entries = await store.listQuarantine({ state, kind, limit: parseLimit(limit) })
    const rows = entries.map(({ submission: { id, kind, body, form }, reason, signals, heldAt }) => ({
      id,
      held: time(heldAt),
      kind,
      reason,
      signals: signals.join(' '),
      name: fullName(body),
      email: body.email ?? '',
      phone: body.phone ?? '',
      company: 'company' in body ? body.company : '',
      website: 'website' in body ? body.website : (form?.trap ?? ''),
      message: body.message ?? '',
    }))
    const empty = `No submissions ${state === 'held' ? 'are quarantined' : `have been ${state}`}.`
    printRows(rows, format, empty, {
      headings: { held: 'quarantined' },
      optional: ['message', 'website', 'signals', 'phone', 'company'],
    })
  })
}

async function release(ids: string[], { by }: By): Promise<void> {
  await decide(ids, 'released', by, releaseSubmission)
}

async function dismiss(ids: string[], { by }: By): Promise<void> {
  await decide(ids, 'dismissed', by, dismissSubmission)
}

/** Changes every submission that it can, then names the others in the error. */
async function decide(
  texts: string[],
  decision: 'released' | 'dismissed',
  by: string | undefined,
  change: Decision,
): Promise<void> {
  const ids = texts.map(parseId)
  await withStore(async (store, { config }) => {
    const services = await leadServices(store, config)
    const actor = actorNamed(by, config.settings)
    const unchanged: number[] = []
    for (const id of ids) {
      const { outcome } = await change(services, id, {}, { actor })
      if (outcome === 'done') print(`Submission ${id} ${decision}.`)
      else unchanged.push(id)
    }
    if (unchanged.length > 0) {
      throw new CommandFailed(`Not quarantined, or already released or dismissed: ${unchanged.join(', ')}.`)
    }
  })
}
