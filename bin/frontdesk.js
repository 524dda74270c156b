#!/usr/bin/env node
// Plain JavaScript, so that an old Node.js can still read it and say what is missing.
const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `Frontdesk needs Node.js 24 or newer; this is ${process.version}.\n` +
      'Run `npm ci` once, then `npm start` or `npx frontdesk …`: they use the Node.js that npm ci installed.\n',
  )
  process.exit(1)
}
await import('../src/main.ts')
