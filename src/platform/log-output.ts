/**
 * Where the log goes. Writing it never delays the service, even if the disk is full or a reader has stopped reading.
 * Lines that do not fit meanwhile are dropped and counted.
 */
import { write, writeSync } from 'node:fs'
import { SECOND } from './time.ts'

/** How much may wait to be written, in characters. */
const MOST_WAITING = 1024 * 1024

const RETRY_AFTER = SECOND / 10

/**
 * Returns a destination for lines. It writes them to a file descriptor, in order, in the background, and tries again if
 * that fails. Once it has succeeded, it calls `lost` with the number of lines that were dropped meanwhile, if there
 * were any. When the process exits, it writes the waiting lines, if that is possible immediately: a line before
 * `process.exit()` is not lost, but may overtake one that is being written.
 */
export function logOutput(fd: number, lost: (lines: number) => void, mostWaiting = MOST_WAITING) {
  let waiting: string[] = []
  let length = 0
  let dropped = 0
  let chunk = Buffer.alloc(0)
  let state: 'idle' | 'scheduled' | 'writing' | 'failed' = 'idle'
  let gone = false

  function writeNext(): void {
    chunk = Buffer.from(waiting.join(''))
    waiting = []
    length = 0
    if (chunk.length > 0) writeChunk()
    else state = 'idle'
  }

  function writeChunk(): void {
    state = 'writing'
    write(fd, chunk, (error, written) => {
      // The reader has closed the pipe: no one will ever read a line.
      gone ||= error?.code === 'EPIPE'
      if (gone) return
      if (error) {
        state = 'failed'
        setTimeout(writeChunk, RETRY_AFTER).unref()
        return
      }
      chunk = chunk.subarray(written)
      if (chunk.length > 0) writeChunk()
      else {
        writeNext()
        reportLost()
      }
    })
  }

  function reportLost(): void {
    if (dropped === 0) return
    const lines = dropped
    dropped = 0
    lost(lines)
  }

  process.once('exit', () => {
    // A write that is under way ends on its own.
    const failed = state === 'failed' ? chunk.toString() : ''
    try {
      if (!gone) writeSync(fd, failed + waiting.join(''))
    } catch {
      // The last lines are not worth waiting for.
    }
  })

  return {
    write(line: string): void {
      if (gone) return
      if (length + line.length > mostWaiting) {
        dropped++
        return
      }
      waiting.push(line)
      length += line.length
      if (state !== 'idle') return
      state = 'scheduled'
      setImmediate(writeNext)
    },
  }
}
