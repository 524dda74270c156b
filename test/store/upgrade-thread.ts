/** The entry of a thread that upgrades a database: SQLite waits for others with the whole thread. */
import { workerData } from 'node:worker_threads'
import { upgrade } from './later-version.ts'

await upgrade(workerData)
