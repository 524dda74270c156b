/** The secret of an installation on SQLite: a file in its data folder. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'

export const newSecret = (): string => randomBytes(32).toString('base64url')

/**
 * Reads the secret of the data folder, or makes one. Two processes that start at once end up with
 * the same secret. Throws ConfigError.
 */
export function secretIn(dataDir: string): string {
  const file = resolve(dataDir, 'secret-key')
  if (!existsSync(file)) makeSecret(file, dataDir)
  return readSecret(file)
}

/** Writes a draft and links it, so that the file never exists in part and is never replaced. */
function makeSecret(file: string, dataDir: string): void {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, `${newSecret()}\n`, { mode: 0o600, flush: true })
    linkSync(draft, file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') {
      throw new ConfigError([`DATA_DIR (${dataDir}) must be a folder we can write to: ${message}`])
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The secret in a file. Throws ConfigError. */
export function readSecret(file: string): string {
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < 32) {
    throw new ConfigError([
      `${file} must contain a secret of at least 32 characters; delete the file to get a new one`,
    ])
  }
  return secret
}
