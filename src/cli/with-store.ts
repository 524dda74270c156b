/** What every command that reads or changes stored data shares. */
import { type Config, loadConfig, orConfigError } from '../config/config.ts'
import { openStore, type Store } from '../store/store.ts'

/** Opens the store for one command. It works beside a running service, which notices within seconds. */
export async function withStore<T>(
  work: (store: Store, context: { config: Config; now: number }) => Promise<T>,
): Promise<T> {
  const config = await loadConfig(process.env)
  const store = await orConfigError(`The database ${config.database.file} cannot be opened`, () =>
    openStore(config.database, { clock: { now: () => Date.now() } }),
  )
  try {
    return await work(store, { config, now: Date.now() })
  } finally {
    await store.close()
  }
}
