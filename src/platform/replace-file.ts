/** Writes a whole file that other programs read: they see the old file or the new one, never a part. */
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a file beside its final place, brings it to the disk, and renames it. It can be read only by its owner, or by
 * everyone who may read everything in the folder. Leaves nothing behind if it fails.
 */
export async function replaceFile(folder: string, name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o750 })
  const [place, beside] = [join(folder, name), join(folder, `.${name}.part`)]
  try {
    // A process that died may have left one. Creating a new file makes sure that it is not a link to another one.
    await rm(beside, { force: true })
    const file = await open(beside, 'wx', 0o640)
    try {
      for await (const piece of pieces) await file.write(piece)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, place)
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {})
    throw error
  }
  // The name is on the disk once the folder is.
  const holder = await open(dirname(place), 'r')
  await holder.sync().finally(() => holder.close())
}
