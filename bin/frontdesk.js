#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import v8 from 'node:v8'

// Plain JavaScript, so that an old Node.js can still read it and say what is missing. `Temporal`,
// by which we compute opening hours, came with Node.js 26, but a build may lack it.
const [major] = process.versions.node.split('.').map(Number)
if (major < 26 || typeof Temporal === 'undefined') {
  process.stderr.write(
    `Frontdesk needs Node.js 26 or newer with Temporal, and this is ${process.version}: run \`npm ci\`, which installs it here, then start Frontdesk with \`npm start\` or \`npx frontdesk\`, which use it.\n`,
  )
  process.exit(1)
}
// V8 takes compiled code from the cache only under the flags with which it was compiled, and the service sets this one
// to collect its garbage (src/platform/collect-garbage.ts). So it is set from the beginning, in every command.
v8.setFlagsFromString('--expose-gc')
// Compile once, for this process, its threads and the next start: a faster start, less memory.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/frontdesk', import.meta.url))
module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
await import('../src/main.ts')
