/** `frontdesk preview`: shows every message and every page in a browser, with sample data. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Command } from 'commander'
import { inMode } from '../../content/in-mode.ts'
import { logoTypeOf } from '../../http/discovery/brand-images.ts'
import { createServer } from '../../platform/node-http.ts'
import { print } from '../terminal/output.ts'
import { CommandFailed, terminal } from '../terminal/terminal.ts'
import { type State, watchCatalog } from './catalog.ts'
import { type Choice, viewer } from './viewer.ts'

export function previewCommand(): Command {
  return new Command('preview')
    .description('show every email and page in a browser, with sample data, and follow your changes')
    .option('--port <number>', 'the port to use on this machine; by default any free one', '0')
    .action(async ({ port }: { port: string }) => {
      const preview = await startPreview(terminal().env, readPort(port))
      print(`The preview is at ${preview.url}. Stop it with Ctrl+C.`)
      process.once('SIGINT', preview.close)
      process.once('SIGTERM', preview.close)
      await preview.closed
    })
}

/** Serves the preview on this machine only. Throws CommandFailed if the port is not available. */
export async function startPreview(env: NodeJS.ProcessEnv, port: number) {
  const server = createServer()
  await listening(server, port)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const source = watchCatalog(env, url)
  server.on('request', async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const { status, type, body } =
      pathname === '/version'
        ? { status: 200, type: 'text/plain', body: await source.version() }
        : answerTo(pathname, choiceFrom(searchParams), await source.current())
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' })
    response.end(body)
  })
  return {
    url,
    closed: once(server, 'close').then(source.close),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function listening(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    throw new CommandFailed(`Port ${port} cannot be used: ${(error as Error).message}`)
  }
}

const HTML = 'text/html; charset=utf-8'

function answerTo(path: string, choice: Choice, state: State) {
  if (path === '/') return { status: 200, type: HTML, body: viewer(state, choice) }
  const catalog = 'catalog' in state ? state.catalog : undefined
  const item = catalog?.items.find(({ file }) => file === choice.file)
  const sample = item?.samples[choice.sample]
  if (path === '/frame' && sample) {
    return { status: 200, type: HTML, body: inMode(sample.html, choice.mode) }
  }
  const logo = catalog?.logos[path]
  if (logo) return { status: 200, type: logoTypeOf(path), body: readFileSync(logo) }
  return { status: 404, type: 'text/plain', body: 'The preview shows emails and pages only.' }
}

const choiceFrom = (query: URLSearchParams): Choice => ({
  file: query.get('file') ?? '',
  sample: Number(query.get('sample') ?? 0),
  mode: query.get('mode') === 'dark' ? 'dark' : 'light',
})

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port
  throw new CommandFailed(`"${text}" is not a port; use a number from 1 to 65535`)
}
