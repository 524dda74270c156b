/**
 * What people would write instead: `node:http`, a look at the required fields, one insert a request with its commit on the
 * disk, and nothing that follows. Takes its port and the URL of its database, and responds to GET once it has its table.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

const [port, url = ''] = process.argv.slice(2)

const TABLE = `create table if not exists submissions (
  key text primary key, email text not null, first_name text not null, last_name text not null, body text not null)`

type Row = [key: string, email: string, firstName: string, lastName: string, body: string]

/** Inserts a row, unless its key is known. */
const insert = url.startsWith('sqlite:') ? inFile(url.slice('sqlite:'.length)) : await onServer()

function inFile(file: string): (row: Row) => unknown {
  const database = new DatabaseSync(file)
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${TABLE}`)
  const statement = database.prepare('insert or ignore into submissions values (?, ?, ?, ?, ?)')
  return row => statement.run(...row)
}

async function onServer(): Promise<(row: Row) => unknown> {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  await pool.query(TABLE)
  const text = 'insert into submissions values ($1, $2, $3, $4, $5) on conflict do nothing'
  return values => pool.query({ name: 'insert', text, values })
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') return respond(response, 200, { status: 'ok' })
  accept(request).then(
    valid => respond(response, valid ? 200 : 400, valid ? { success: true } : { error: 'A field is missing' }),
    () => respond(response, 500, { error: 'It could not be stored' }),
  )
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))

async function accept(request: IncomingMessage): Promise<boolean> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { email, firstName, lastName, idempotencyKey } = JSON.parse(text)
  if (![email, firstName, lastName].every(value => typeof value === 'string' && value.length > 1)) return false
  await insert([idempotencyKey ?? email, email, firstName, lastName, text])
  return true
}

function respond(response: ServerResponse, status: number, body: object) {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': text.length })
  response.end(text)
}
