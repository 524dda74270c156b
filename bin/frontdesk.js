#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Plain JavaScript, so that an old Node.js can still read it and say what is missing.
const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `Frontdesk needs Node.js 24 or newer; this is ${process.version}.\n` +
      'Run `npm ci` once, then `npm start` or `npx frontdesk …`: they use the Node.js that npm ci installed.\n',
  )
  process.exit(1)
}
// What was compiled once is kept, in this process and its threads: a faster start, less memory.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../node_modules/.cache/frontdesk', import.meta.url),
)
module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
await import('../src/main.ts')
