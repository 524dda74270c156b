/** `frontdesk serve` and `frontdesk worker`: the service itself. */
import { Command } from 'commander'
import type { Roles } from './service.ts'

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service (what npm start does)')
    .option('--http-only', 'take in only; run frontdesk worker elsewhere on the same database')
    .action(({ httpOnly = false }: { httpOnly?: boolean }) =>
      runService({ http: true, worker: !httpOnly }),
    )
}

export function workerCommand(): Command {
  return new Command('worker')
    .description('follow up only: file, notify and send what serve --http-only takes in')
    .action(() => runService({ http: false, worker: true }))
}

/** Loaded when it runs: the other commands do without it. */
async function runService(roles: Roles): Promise<void> {
  const service = await import('./service.ts')
  await service.runService(roles)
}
