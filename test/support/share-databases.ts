/** In the process of `npm test`: makes the databases that the processes of a run share, for each test that asks. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { compileCode } from './compiled-code.ts'
import { fastFolder } from './folder.ts'
import type { Answer, Shared } from './shared-databases.ts'

/** Answers the tests of the run until it is closed, which removes what has been made. */
export async function shareDatabases(): Promise<{ close(): Promise<void> }> {
  const folder = mkdtempSync(join(fastFolder(), 'frontdesk-shared-'))
  const removals: (() => Promise<void>)[] = []
  const made: { [Name in keyof Shared]?: Promise<Shared[Name]> } = {}
  const make = {
    sqlite: async () => (await import('./make-templates.ts')).sqliteTemplate(folder),
    postgres: async () => (await import('./make-templates.ts')).postgresTemplate(removals),
  }
  let compiled: Promise<void> | undefined
  const answer = async (name: keyof Shared): Promise<Answer<unknown>> => {
    try {
      // A test with a database is likely to load the service, too.
      compiled ??= compileCode()
      const whole: Promise<unknown> = made[name] ?? make[name]()
      Object.assign(made, { [name]: whole })
      return { shared: await whole }
    } catch (error) {
      return { error: String(error) }
    }
  }
  const server = createServer(socket => {
    // A test process that is killed while it waits.
    socket.on('error', () => {})
    socket.once('data', async name => socket.end(JSON.stringify(await answer(String(name) as keyof Shared))))
  })
  const path = join(folder, 'socket')
  await once(server.listen(path), 'listening')
  process.env['TEST_SHARED_DATABASES'] = path
  return {
    close: async () => {
      server.close()
      await Promise.allSettled([compiled, ...Object.values(made)])
      for (const remove of removals) await remove()
      rmSync(folder, { recursive: true })
    },
  }
}
