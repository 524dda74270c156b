/** The entry of the thread in which SQLite runs. */
import { parentPort, workerData } from 'node:worker_threads'
import { collectGarbageOnceIdle } from '../../platform/collect-garbage.ts'
import { serveStore } from './serve-store.ts'

if (parentPort === null) throw new Error('This is the entry of a worker thread')
collectGarbageOnceIdle(await serveStore(parentPort, workerData))
