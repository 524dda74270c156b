/** Writing a file that someone named on the command line. */
import { open, rm } from 'node:fs/promises'
import { CommandFailed } from './terminal.ts'

/**
 * Writes a new file that only its owner may read. Throws CommandFailed if the file exists or cannot be written. `record`
 * records in the audit log that someone has the content, before anything is written.
 */
export async function writeNew(
  file: string,
  parts: AsyncIterable<Uint8Array>,
  record?: () => Promise<void>,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(
      error.code === 'EEXIST'
        ? `${file} already exists; name a new file.`
        : `${file} cannot be written: ${error.message}`,
    )
  })
  try {
    await record?.()
    for await (const part of parts) await handle.writeFile(part)
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
