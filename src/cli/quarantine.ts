/** `frontdesk quarantine`: releasing and dismissing quarantined submissions, and those that cannot be filed. */
import { Command, Option } from 'commander'
import { fieldsSent } from '../console/mail/fields-sent.ts'
import { dismiss as dismissSubmission, release as releaseSubmission } from '../lead-actions/decide-quarantined.ts'
import { dismissUnfiled, fileAgain, unfiledReasons } from '../lead-actions/decide-unfiled.ts'
import type { Services } from '../lead-actions/services.ts'
import type { Kind } from '../leads/body/submission.ts'
import { fullName } from '../leads/lead/lead.ts'
import { moment } from '../platform/time.ts'
import type { QuarantinedSubmission, QuarantineState } from '../store/filing/quarantined-submissions.ts'
import type { UnfiledEntry } from '../store/filing/unfiled-submissions.ts'
import type { Store } from '../store/store.ts'
import { actorNamed, type By, byOption } from './terminal/actor.ts'
import { formatOption, parseId, parseLimit } from './terminal/arguments.ts'
import { type Format, print, printRows } from './terminal/output.ts'
import { CommandFailed } from './terminal/terminal.ts'
import { createTimes } from './terminal/times.ts'
import { leadServices, withStore } from './terminal/with-store.ts'

const states: QuarantineState[] = ['held', 'released', 'dismissed']

export function quarantineCommand(): Command {
  const command = new Command('quarantine').description(
    'review quarantined submissions, and those that cannot be filed: release, retry or dismiss them',
  )
  command
    .command('list')
    .description('list submissions that are or were quarantined, newest first, then those that cannot be filed')
    .addOption(
      new Option('--state <state>', 'only submissions in this state; held means that they are waiting for a decision')
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
    .command('retry <id...>')
    .description('try again to file submissions that cannot be filed')
    .addOption(byOption('the audit log'))
    .action(retry)
  command
    .command('dismiss <id...>')
    .description('mark submissions as not worth following up')
    .addOption(new Option('--why <reason>', 'for those that cannot be filed').choices(Object.keys(unfiledReasons)))
    .addOption(byOption())
    .action(dismiss)
  command
    .command('digest')
    .description('send the daily digests now, each to its team')
    .option('--to <address>', 'send them to this address instead')
    // Loaded here, because it loads all content, which no other command here needs.
    .action(async (options: { to?: string }) => (await import('./send-quarantine-digest.ts')).sendDigest(options))
  return command
}

type ListOptions = { state: QuarantineState; kind?: Kind; limit: string; format: Format }

async function list({ state, kind, limit, format }: ListOptions): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const time = format === 'table' ? createTimes(settings.school, now).near : moment
    const most = parseLimit(limit)
    const quarantined = await store.listQuarantine({ state, kind, limit: most })
    const unfiled =
      state === 'released' ? [] : await store.listUnfiled({ dismissed: state === 'dismissed', kind, limit: most })
    const rows = [...quarantined.map(one => quarantinedRow(one, time)), ...unfiled.map(one => unfiledRow(one, time))]
    const empty = `No submissions ${state === 'held' ? 'are quarantined' : `have been ${state}`}.`
    printRows(rows.slice(0, most), format, empty, {
      headings: { held: 'since' },
      optional: ['message', 'website', 'signals', 'phone', 'company', 'why'],
    })
  })
}

const quarantinedRow = (
  { submission: { id, kind, body, form }, reason, signals, heldAt }: QuarantinedSubmission,
  time: (at: number) => string,
) => ({
  id,
  held: time(heldAt),
  kind,
  reason: reason as string,
  signals: signals.join(' '),
  name: fullName(body),
  email: body.email ?? '',
  phone: body.phone ?? '',
  company: 'company' in body ? body.company : '',
  website: 'website' in body ? body.website : (form?.trap ?? ''),
  message: body.message ?? '',
  why: '',
})

/** The submission, as far as it can be read. */
function unfiledRow(one: UnfiledEntry, time: (at: number) => string): ReturnType<typeof quarantinedRow> {
  const { fields, unread } = fieldsSent(one)
  const { firstName = '', lastName = '', email = '', phone = '', company = '', website = '', message = '' } = fields
  return {
    id: one.id,
    held: time(one.receivedAt),
    kind: one.kind,
    reason: 'unfiled',
    signals: '',
    name: `${firstName} ${lastName}`.trim(),
    email,
    phone,
    company,
    website,
    message: [message, unread].filter(Boolean).join('\n'),
    why: one.note,
  }
}

type Changing = { store: Store; services: Services; actor: string }

async function release(ids: string[], { by }: By): Promise<void> {
  const unchanged = 'Not quarantined, or already released or dismissed'
  await decide(ids, { by, decision: 'released', unchanged }, ({ services, actor }, id) =>
    releaseSubmission(services, id, {}, { actor }),
  )
}

async function retry(ids: string[], { by }: By): Promise<void> {
  const unchanged = 'Filed, or being filed, or never accepted'
  await decide(ids, { by, decision: 'is tried again', unchanged }, ({ services, actor }, id) =>
    fileAgain(services, id, {}, { actor }),
  )
}

async function dismiss(ids: string[], { by, why }: By & { why?: string }): Promise<void> {
  const unchanged = 'Not quarantined, or already released or dismissed'
  await decide(ids, { by, decision: 'dismissed', unchanged }, async ({ store, services, actor }, id) => {
    if ((await store.readUnfiledEntry(id)) === undefined) return dismissSubmission(services, id, {}, { actor })
    if (why !== undefined) return dismissUnfiled(services, id, { reason: why }, { actor })
    const choices = Object.keys(unfiledReasons).join(', ')
    throw new CommandFailed(`Submission ${id} cannot be filed. Say why it is dismissed: --why with one of ${choices}.`)
  })
}

/** Changes every submission that it can, then names the others in the error. */
async function decide(
  texts: string[],
  { by, decision, unchanged: words }: By & { decision: string; unchanged: string },
  change: (changing: Changing, id: number) => Promise<{ outcome: string }>,
): Promise<void> {
  const ids = texts.map(parseId)
  await withStore(async (store, { config }) => {
    const services = await leadServices(store, config)
    const actor = actorNamed(by, config.settings)
    const unchanged: number[] = []
    for (const id of ids) {
      const { outcome } = await change({ store, services, actor }, id)
      if (outcome === 'done') print(`Submission ${id} ${decision}.`)
      else unchanged.push(id)
    }
    if (unchanged.length > 0) throw new CommandFailed(`${words}: ${unchanged.join(', ')}.`)
  })
}
