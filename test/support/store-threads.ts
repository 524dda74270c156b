/**
 * Threads for the SQLite stores of this process. Starting one takes longer than most tests, so a thread
 * whose store was closed serves the next. Stores that are open at the same time have one each.
 */
import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { StoreFile } from '../../src/store/sqlite/serve-store.ts'
import { threads } from '../../src/store/sqlite/store.ts'

threads.start = file => new PooledThread(file)

const idle: Worker[] = []

class PooledThread extends EventEmitter {
  readonly #port: MessagePort

  constructor(file: StoreFile) {
    super()
    const worker = idle.pop() ?? startThread()
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.on('message', message => {
      if ('failure' in message) this.emit('error', message.failure)
      else this.emit('message', message)
    })
    port1.on('close', () => {
      idle.push(worker)
      this.emit('exit', 0)
    })
    worker.postMessage({ ...file, port: port2 }, [port2])
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message)
  }
}

/** The open port of a store keeps the process alive, an idle thread does not. */
function startThread(): Worker {
  const worker = new Worker(new URL('./store-thread.ts', import.meta.url))
  worker.unref()
  return worker
}
