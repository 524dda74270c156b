/** `frontdesk serve` and `frontdesk worker`: the service itself. */
import { Command } from 'commander'
import type { Roles } from './report.ts'

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service, as npm start does')
    .option(
      '--http-only',
      'only accept submissions; run frontdesk worker on the same database for the rest',
    )
    .action(({ httpOnly = false }: { httpOnly?: boolean }) =>
      runService({ http: true, worker: !httpOnly }),
    )
}

export function workerCommand(): Command {
  return new Command('worker')
    .description('file the submissions that serve --http-only accepts, send emails and follow up')
    .action(() => runService({ http: false, worker: true }))
}

/** Loads the service only when it runs, because the other commands do not need it. */
async function runService(roles: Roles): Promise<void> {
  const service = await import('./service.ts')
  await service.runService(roles)
}
