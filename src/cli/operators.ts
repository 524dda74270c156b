/** `frontdesk operators`: the people who sign in to the console. */
import { Command, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { readInForce } from '../config/edited-settings.ts'
import { factorInWords } from '../console/sign-in/required-factor.ts'
import { capital, requiredProblem, tidy } from '../leads/body/tidy-text.ts'
import { type Role, roles } from '../leads/lead/roles.ts'
import { COMMAND_LINE } from '../leads/lead/staff.ts'
import { openLinks } from '../open-links.ts'
import { newSecret } from '../platform/secret.ts'
import { utcDay } from '../platform/time.ts'
import type { AuditEntry } from '../store/operators/audit-log.ts'
import type { Operator } from '../store/operators/operators.ts'
import type { Store } from '../store/store.ts'
import { teamNotes } from './check/team-notes.ts'
import { formatOption, parseAddress } from './terminal/arguments.ts'
import { type Format, print, printRows } from './terminal/output.ts'
import { CommandFailed } from './terminal/terminal.ts'
import { withStore } from './terminal/with-store.ts'

export function operatorsCommand(): Command {
  const command = new Command('operators').description(
    'list, add, disable and reset the people who sign in to the console',
  )
  command
    .command('list')
    .description('list the operators')
    .addOption(formatOption('table', 'json', 'csv'))
    .action(list)
  command
    .command('add [email]')
    .description(
      'add an operator, and print the link with which they choose a password; without an address, print the link that creates the first one',
    )
    .option('--name <name>', 'their name (default: made from the address)')
    .addOption(new Option('--role <role>', 'what they may do').choices(roles).default('counselor'))
    .action(add)
  command
    .command('disable <email>')
    .description('stop an operator from signing in; their sessions end immediately')
    .action(disable)
  command
    .command('reset <email>')
    .description(
      'remove the password, second factor and passkeys of an operator, let them in again if they were disabled, and print a link to choose a new password',
    )
    .action(reset)
  return command
}

async function list({ format }: { format: Format }): Promise<void> {
  await withStore(async (store, { config }) => {
    const rows = (await store.listOperators()).map(operator => ({
      email: operator.email,
      name: operator.name,
      role: operator.role,
      state: stateOf(operator),
      'second factor': factorInWords(config.settings, operator, utcDay),
    }))
    printRows(rows, format, 'There are no operators yet: run npx frontdesk operators add.')
  })
}

const stateOf = ({ disabled, hasPassword }: Operator): string => {
  if (disabled) return 'disabled'
  return hasPassword ? 'active' : 'invited'
}

async function add(email: string | undefined, options: { name?: string; role: Role }) {
  await withStore(async (store, { config, now }) => {
    const nonce = newSecret()
    if (email === undefined) {
      const id = await store.addFirstLink({ nonce, now })
      if (id === undefined) {
        throw new CommandFailed('There are operators already: give the address of the new one.')
      }
      const url = await linkTo(config, store, { id, nonce })
      print(`Create the first operator within 24 hours: ${url}`)
      return
    }
    const address = parseAddress(email)
    const name = tidy(options.name ?? nameIn(address))
    const problem = requiredProblem(name, 'one')
    if (problem !== undefined) throw new CommandFailed(`The name ${problem}.`)
    const operator = { email: address, name, role: options.role, now }
    const audit = entry(store, 'invited an operator', `${address}: ${options.role}`)
    const id = await store.inviteOperator(operator, { nonce, now, mail: false, audit })
    if (id === undefined) throw new CommandFailed(`${address} is an operator already.`)
    const url = await linkTo(config, store, { id, nonce })
    print(`${name} chooses a password within 7 days: ${url}`)
  })
}

/** `maria.lopez@school.edu` is probably Maria Lopez. */
const nameIn = (address: string): string =>
  address
    .slice(0, address.lastIndexOf('@'))
    .split(/[._-]+/)
    .map(capital)
    .join(' ')

async function disable(email: string): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const { id, name } = await find(store, email)
    const audit = entry(store, 'disabled an operator', email)
    if (!(await store.disableOperator(id, { now, audit }))) {
      print(`${name} is disabled already.`)
      return
    }
    await readInForce(store, config)
    store.announceSettings()
    print([`${name} can no longer sign in.`, ...(await teamNotes(config, store))].join('\n'))
  })
}

async function reset(email: string): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const operator = await find(store, email)
    const nonce = newSecret()
    const audit = entry(store, 'reset an operator', operator.email)
    const id = await store.resetOperator(operator.id, { nonce, now, mail: false, audit })
    store.announceSettings()
    const url = await linkTo(config, store, { id, nonce })
    print(`${operator.name} chooses a new password within 7 days: ${url}`)
  })
}

async function find(store: Store, email: string): Promise<Operator> {
  const found = await store.findOperator(parseAddress(email))
  if (found === undefined) throw new CommandFailed(`Operator ${email} does not exist.`)
  return found.operator
}

async function linkTo(config: Config, store: Store, link: { id: number; nonce: string }) {
  const links = await openLinks(config, store)
  return links.operator(link.id, link.nonce)
}

const entry = (store: Store, action: string, detail: string): AuditEntry[] => [
  { at: store.clock.now(), operatorId: null, actor: COMMAND_LINE, action, detail },
]
