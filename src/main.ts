/** The entry of the program. */
import { existsSync } from 'node:fs'
import { runCommand } from './cli/cli.ts'
import { trustAuthoritiesIn } from './platform/trusted-authorities.ts'

// The reader (such as `head`) has closed the pipe.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  process.exit(0)
})

// The files that we write hold personal data and secrets.
process.umask(0o077)

const readByNode = process.env['NODE_EXTRA_CA_CERTS']
if (existsSync('.env')) process.loadEnvFile('.env')
// Node.js itself reads it only from the environment with which it starts.
const authorities = process.env['NODE_EXTRA_CA_CERTS']
if (authorities && authorities !== readByNode) trustAuthoritiesIn(authorities)
process.exitCode = await runCommand(process.argv.slice(2))
