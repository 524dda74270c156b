/** The entry of a thread that upgrades a database: SQLite waits for others with the whole thread. */
import { workerData } from 'node:worker_threads'
// Eight at once are slow to connect where the machine stands still.
import '../support/time-limits.ts'
import { upgrade } from './later-version.ts'

await upgrade(workerData)
