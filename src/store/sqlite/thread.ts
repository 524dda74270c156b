/** The entry of the thread in which SQLite runs. */
import { parentPort, workerData } from 'node:worker_threads'
import { collectGarbage } from '../../platform/collect-garbage.ts'
import { serveStore } from './serve-store.ts'

if (parentPort === null) throw new Error('This is the entry of a worker thread')
await serveStore(parentPort, workerData)
collectGarbage()
