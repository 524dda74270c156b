/** Room on a disk. */
import { statfs } from 'node:fs/promises'

/** How many bytes we may still write to the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
