/** The entry of the program. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { runCommand } from './cli/cli.ts'
import { trustAuthoritiesIn } from './platform/trusted-authorities.ts'

// The reader (such as `head`) has closed the pipe.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  process.exit(0)
})

// The files that we write contain personal data and secrets.
process.umask(0o077)

// Node.js reads this variable only from the environment that it is started with, not from `.env`.
const readByNode = process.env['NODE_EXTRA_CA_CERTS']
const given = existsSync('.env') ? readEnvFile() : undefined
if (given !== undefined) {
  process.loadEnvFile('.env')
  const authorities = parseEnv(given)['NODE_EXTRA_CA_CERTS']
  if (authorities && readByNode === undefined) trustAuthoritiesIn(authorities)
  else if (authorities && authorities !== readByNode)
    process.stderr.write(
      `NODE_EXTRA_CA_CERTS in .env is not used, because the environment sets it to "${readByNode}".\n`,
    )
}
process.exitCode = await runCommand(process.argv.slice(2))

/** If `.env` cannot be read, ends with the code that tells systemd not to start us again. */
function readEnvFile(): string {
  try {
    return readFileSync('.env', 'utf8')
  } catch (error) {
    process.stderr.write(
      `${resolve('.env')} cannot be read (${(error as Error).message}). It must be a file that the user who runs Frontdesk may read: as root, chown USER .env\n`,
    )
    process.exit(2)
  }
}
