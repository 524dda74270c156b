/** The styles and scripts of the console. Each URL contains a hash of the content, so browsers may keep it for good. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Settings } from '../../config/settings.ts'
import type { Brand } from '../../content/brand.ts'
import { contentDirs } from '../../content/content-files.ts'
import { svgIcon } from '../../content/icon.ts'
import { ourPath } from '../../platform/places.ts'
import type { ConsoleRoute } from './context.ts'
import { get } from './routes.ts'

type Asset = { url: string; type: string; body: Buffer; zipped: Promise<Buffer> | undefined }

type Assets = {
  /** The URL of each file, by its name. */
  urls: Record<string, string>
  byUrl: ReadonlyMap<string, Asset>
}

export function loadAssets(brand: Brand, settings: Settings): Assets {
  const own = (name: string) => readFileSync(ourPath(`content/console/${name}`))
  const styles = ['console.css', 'lists.css', 'board.css', 'cadence.css', 'insight.css', 'merge.css', 'school.css'].map(
    own,
  )
  const css = Buffer.concat([Buffer.from(brand.css), ...styles])
  const files: Record<string, Asset> = {
    'console.css': asset('console.css', 'text/css; charset=utf-8', css),
    'htmx.js': asset('htmx.js', SCRIPT, readFileSync(fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js')))),
    'icon.svg': asset(
      'icon.svg',
      'image/svg+xml',
      Buffer.from(svgIcon(contentDirs(settings.content), brand, settings)),
    ),
  }
  for (const name of SCRIPTS) files[name] = asset(name, SCRIPT, linked(own(name), files))
  return {
    urls: Object.fromEntries(Object.entries(files).map(([name, { url }]) => [name, url])),
    byUrl: new Map(Object.values(files).map(file => [file.url, file])),
  }
}

export const assetRoute = (current: () => Assets): ConsoleRoute =>
  get(`${FOLDER}:name`, 'anyone', async c => {
    const file = current().byUrl.get(c.req.path)
    if (file === undefined) return c.text('This file does not exist.\n', 404)
    c.header('Cache-Control', 'public, max-age=31536000, immutable')
    c.header('Content-Type', file.type)
    c.header('Vary', 'Accept-Encoding')
    if (!/\bgzip\b/.test(c.req.header('accept-encoding') ?? '')) return c.body(bytes(file.body))
    file.zipped ??= promisify(gzip)(file.body)
    c.header('Content-Encoding', 'gzip')
    return c.body(bytes(await file.zipped))
  })

const FOLDER = '/assets/'

/** Each script comes after those that it imports. */
const SCRIPTS = [
  'console.js',
  'drafts.js',
  'live.js',
  'keys.js',
  'in-place.js',
  'rows.js',
  'lists.js',
  'lead.js',
  'board.js',
  'export.js',
]

/** A script with the URLs of the scripts that it imports. */
const linked = (script: Buffer, files: Record<string, Asset>): Buffer =>
  Buffer.from(
    script.toString().replace(/(?<=^import .*')\.\/([a-z-]+\.js)(?=')/gm, (_, name) => files[name]?.url ?? name),
  )

const SCRIPT = 'text/javascript; charset=utf-8'

function asset(name: string, type: string, body: Buffer): Asset {
  const version = hash('sha256', body, 'base64url').slice(0, 12)
  return { url: `${FOLDER}${name.replace('.', `.${version}.`)}`, type, body, zipped: undefined }
}

const bytes = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer)
