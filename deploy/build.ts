/**
 * `npm run build [FOLDER]`: writes Frontdesk with all of its code and libraries in a few minified files, into `dist/`
 * or another folder, in place of what is there. It starts in half the time. It still needs `node_modules` beside it or above
 * it, for Node.js and for the libraries that are loaded on first use. The image is made from it; a clone runs from its
 * source.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { home, ourPath } from '../src/platform/places.ts'

/** The program, and the code of each thread. */
export const ENTRIES: string[] = ['main', 'store/sqlite/thread', 'console/cadence/simulation-thread']

/** What is read as it is. */
const FILES = [
  'bin',
  'content',
  // `frontdesk init` fills them in, and the image asks by the last how the service is.
  ...['Caddyfile', 'frontdesk.service', 'nginx.conf', 'healthcheck.js'].map(name => `deploy/${name}`),
  'frontdesk.config.ts',
  'package.json',
  'LICENSE',
]

/** Some libraries are CommonJS and call `require`, for what Node.js brings. */
const BANNER = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`

/** Writes it into a folder, which is emptied first. Throws if the code cannot be bundled. */
export async function bundle(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of FILES) cpSync(ourPath(name), join(folder, name), { recursive: true })
  const command = join(folder, 'bin/frontdesk.js')
  writeFileSync(command, readFileSync(command, 'utf8').replace('../src/main.ts', '../src/main.js'))
  await build({
    entryPoints: ENTRIES.map(name => ({ in: new URL(`src/${name}.ts`, home).pathname, out: name })),
    outdir: join(folder, 'src'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    minify: true,
    // The log shows errors by name.
    keepNames: true,
    sourcemap: 'linked',
    legalComments: 'linked',
    banner: { js: BANNER },
    logLevel: 'warning',
  })
}

if (import.meta.main) await bundle(resolve(process.argv[2] ?? 'dist'))
