/** What every command that reads or changes stored data shares. */
import { type Config, loadConfig } from '../config/config.ts'
import { orConfigError } from '../config/config-error.ts'
import { describeDatabase } from '../config/environment.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { terminal } from './terminal.ts'

/** Opens the store for one command. It works beside a running service, which notices within seconds. */
export async function withStore<T>(
  work: (store: Store, context: { config: Config; now: number }) => Promise<T>,
): Promise<T> {
  const config = await loadConfig(terminal().env)
  const database = describeDatabase(config.database)
  const store = await orConfigError(`The database ${database} cannot be opened`, () =>
    openStore(config.database),
  )
  try {
    return await work(store, { config, now: store.clock.now() })
  } finally {
    await store.close()
  }
}
