/** A program: a mail server that accepts every message at once and keeps none. It prints its port. */
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { SMTPServer } from 'smtp-server'

const server = new SMTPServer({
  disableReverseLookup: true,
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  onData(stream, _session, done) {
    stream.resume().on('end', () => done())
  },
})
server.listen(0, '127.0.0.1')
await once(server.server, 'listening')
const { port } = (server.server as Server).address() as AddressInfo
process.stdout.write(`${port}\n`)
