/** The entry of the program. */
import { existsSync } from 'node:fs'
import { runCommand } from './cli/cli.ts'

// The reader (such as `head`) has closed the pipe.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  process.exit(0)
})

// The files that we write hold personal data and secrets.
process.umask(0o077)

if (existsSync('.env')) process.loadEnvFile('.env')
process.exitCode = await runCommand(process.argv.slice(2))
