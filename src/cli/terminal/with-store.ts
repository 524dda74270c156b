/** Helpers for every command that reads or changes stored data. */
import { type Config, loadConfig } from '../../config/config.ts'
import { orStartError } from '../../config/config-error.ts'
import { isNewDatabase, prepareDataFolder, requireDatabase } from '../../config/data-folder.ts'
import { readInForce } from '../../config/edited-settings.ts'
import { describeDatabase } from '../../config/environment.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import type { Services } from '../../lead-actions/services.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { createAddressees } from '../../mail/staff-addressees.ts'
import { newSecret } from '../../platform/secret.ts'
import { openStore } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'
import { CommandFailed, terminal } from './terminal.ts'

/**
 * Opens the store for one command, with the settings in force. A running service on the same data notices changes
 * within seconds. Throws StartError if there is no database yet, unless the command `creates` it.
 */
export async function withStore<T>(
  work: (store: Store, context: { config: Config; now: number }) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  const config = await loadConfig(terminal().env)
  if (creates) prepareDataFolder(config)
  else requireDatabase(config)
  const database = describeDatabase(config.database)
  const store = await orStartError(`The database ${database} cannot be opened`, () => openStore(config.database))
  try {
    await readInForce(store, config)
    return await work(store, { config, now: store.clock.now() })
  } finally {
    await store.close()
  }
}

/** The configuration in force. If there is a database, it includes what was edited in the console. */
export async function configInForce(): Promise<Config> {
  const config = await loadConfig(terminal().env)
  return isNewDatabase(config) ? config : withStore(async (_, context) => context.config)
}

/** The lead with that id. Throws CommandFailed if it does not exist. */
export async function findLead(store: Store, id: number): Promise<Lead> {
  const lead = await store.findLead(id)
  if (lead === undefined) throw leadDoesNotExist(id)
  return lead
}

export const leadDoesNotExist = (id: number): CommandFailed => new CommandFailed(`Lead ${id} does not exist.`)

/** The services that lead actions need. Workers and consoles in other processes are told about each change. */
export async function leadServices(store: Store, config: Config): Promise<Services> {
  const { settings } = config
  const calendar = createCalendar(settings)
  return {
    store,
    clock: store.clock,
    config,
    settings,
    calendar,
    addressees: createAddressees({ config, store, calendar }),
    addressSecret: await addressSecretOf(store),
    changed: () => {
      store.announce()
      store.announceLeads()
    },
  }
}

/** The key with which all processes that share a database hash email addresses. */
export const addressSecretOf = (store: Store): Promise<string> => store.getOrCreateSecret('addresses', newSecret())
