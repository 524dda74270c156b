/** The main file of a thread that serves one SQLite store after another (see `store-threads.ts`). */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { type StoreFile, serveStore } from '../../src/store/sqlite/serve-store.ts'

parentPort?.on('message', async ({ port, ...file }: StoreFile & { port: MessagePort }) => {
  try {
    await serveStore(port, file)
  } catch (error) {
    port.postMessage({ failure: error })
    port.close()
  }
})
