/** The secret that signs links and Message-IDs: a new one, or the one of an earlier version. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './config-error.ts'

export const newSecret = (): string => randomBytes(32).toString('base64url')

/**
 * The secret that an earlier version stored in a file of the data folder, or undefined. The file stays
 * where it is, so that such a version finds it again. Throws StartError.
 */
export function secretOfFile(dataDir: string): string | undefined {
  const file = join(dataDir, 'secret-key')
  if (!existsSync(file)) return undefined
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length >= 32) return secret
  throw new StartError(
    `${file} must contain a secret of at least 32 characters. Restore it from a backup, or delete it.`,
  )
}
