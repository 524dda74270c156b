/**
 * The yardstick: the least that a `node:http` server can do with the same request. It reads and
 * parses the body, looks at one field, responds, and stores nothing. Listens on the port in argv.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const SUCCESS = '{"success":true}'
const FAILURE = '{"error":"email must be a string"}'

const server = createServer((request, response) => {
  if (request.method !== 'POST') return respond(response, SUCCESS, 200)
  readBody(request, text => {
    const valid = typeof JSON.parse(text).email === 'string'
    respond(response, valid ? SUCCESS : FAILURE, valid ? 200 : 400)
  })
})
server.listen(Number(process.argv[2]), '127.0.0.1')

function readBody(request: IncomingMessage, done: (text: string) => void) {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => done(Buffer.concat(chunks).toString()))
}

function respond(response: ServerResponse, body: string, status: number) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length })
  response.end(body)
}
