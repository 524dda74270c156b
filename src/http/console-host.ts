/** The console's host. For now it tells how the service is, and where to look for a lead. */
import Fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { readJsonBodies } from './body.ts'
import { answerErrors, HttpError } from './errors.ts'
import { detailedHealth, type Health } from './health.ts'

export function createConsoleHost({
  health,
  log,
}: {
  health: Health
  log: Logger
}): FastifyInstance {
  const app = Fastify()
  readJsonBodies(app)
  answerErrors(app, log)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store').header('X-Content-Type-Options', 'nosniff')
  })
  detailedHealth(app, health)
  // The link in the notifications. It shows nothing of the lead, since anybody may open it.
  app.get<{ Params: { id: string } }>('/leads/:id(^[0-9]{1,15}$)', async (request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .send(
        `Lead ${request.params.id}. On the server, run: npx frontdesk leads show ${request.params.id}\n`,
      ),
  )
  app.setNotFoundHandler(() => {
    throw new HttpError(404, 'There is nothing at this address')
  })
  return app
}
