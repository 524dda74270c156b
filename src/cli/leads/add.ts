/** `frontdesk leads add`: enters an inquiry from someone who called, or who came to a fair. */
import { type Command, Option } from 'commander'
import { createCalendar } from '../../follow-up/calendar.ts'
import { enter, enteredFields } from '../../http/entered-inquiry.ts'
import { createIntake } from '../../http/intake.ts'
import { languageFor } from '../../leads/body/languages.ts'
import { asSentence } from '../../leads/body/problems.ts'
import { type Kind, kinds } from '../../leads/body/submission.ts'
import { actorName } from '../../leads/lead/staff.ts'
import { actorNamed, type By, byOption } from '../terminal/actor.ts'
import { assertWritten } from '../terminal/arguments.ts'
import { print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { withStore } from '../terminal/with-store.ts'
import { ownerNamed } from './actions.ts'

export function addLeadAdd(command: Command): void {
  const add = command
    .command('add')
    .description('add a lead by hand: someone who called, or someone you met')
    .addOption(new Option('--kind <kind>', 'what it is about').choices(['site', 'student']).default('student'))
  for (const name of new Set([...enteredFields.student, ...enteredFields.site]))
    add.option(`--${dashed(name)} <text>`, describe(name))
  add
    .option('--language <tag>', 'their language (default: the first of the settings)')
    .option('--came-from <text>', 'where they came from, such as "spring fair"')
    .option('--counselor <id>', 'who gets a new lead: a counselor, manager or team')
    .option('--reached', 'someone has talked with them already')
    .option('--may-write', 'they asked us to write to them by email: send the receipt and emails')
    .addOption(byOption())
    .action(addLead)
}

const dashed = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** Such as `their first name`, or `their company (only for a site)`. */
function describe(name: string): string {
  const those = kinds.filter(kind => enteredFields[kind].includes(name))
  const whose = those.length === 2 ? '' : ` (only for a ${those.join()})`
  return `their ${dashed(name).replace('-', ' ')}${whose}`
}

type Options = Record<string, string | true | undefined> & {
  kind: Kind
  language?: string
  cameFrom?: string
  counselor?: string
  reached?: true
  mayWrite?: true
} & By

async function addLead({ kind, by, counselor, ...options }: Options): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const actor = actorNamed(by, settings)
    const { language, cameFrom = '', reached = false, mayWrite = false, ...values } = options
    const foreign = Object.keys(values).find(name => !enteredFields[kind].includes(name))
    if (foreign !== undefined) {
      throw new CommandFailed(`--${dashed(foreign)} is not for a lead of the kind ${kind}.`)
    }
    if (language !== undefined) assertWritten(language, settings)
    const intake = createIntake({
      store,
      clock: store.clock,
      settings,
      directory: undefined,
      events: { count: () => {} },
      accepted: () => store.announce(),
    })
    const entry = {
      kind,
      cameFrom,
      values: values as Record<string, string | undefined>,
      language: languageFor(language, settings.languages),
      entered: {
        by: actor,
        name: actorName(actor, settings.admissions),
        mayWrite,
        reached,
        operator: null,
        ...(counselor !== undefined && { owner: ownerNamed(counselor, settings) }),
      },
      // The same words on the same day are the same call.
      nonce: `command line ${createCalendar(settings).today(now)}`,
      clientAddress: '127.0.0.1',
    }
    const received = await enter(intake, entry, now)
    if (received.outcome === 'invalid') throw new CommandFailed(`Nothing was added: ${asSentence(received.problems)}.`)
    if (received.outcome !== 'accepted') throw new CommandFailed('This was added already.')
    if (received.replayed) return print('This was added already today. Nothing has changed.')
    print('Added. The service files it within seconds, or as soon as it runs.')
  })
}
