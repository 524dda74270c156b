/** What most parts of the service need. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import type { Clock } from '../platform/time.ts'
import type { Store } from '../store/store.ts'

export type Common = {
  store: Store
  clock: Clock
  config: Config
  settings: Settings
  calendar: Calendar
  /** The key of the hashes of addresses. */
  addressSecret: string
  log: Logger
}
