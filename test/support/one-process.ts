/** Runs the test files that its arguments name, in this one process. */
import './fewer-hooks.ts'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'

// A property that fails prints its seed. In CI all begin with the same one, so that a run repeats.
if (process.env['CI']) fc.configureGlobal({ seed: 1 })

// Resolved before the first runs: a test may change the current folder.
for (const url of process.argv.slice(2).map(file => pathToFileURL(resolve(file)).href)) await import(url)

// Node.js 26.10 sometimes spins forever while it closes the handles of a process that ends (below
// CleanupHandles). This ends the process first, once nothing is left to do and all is reported.
process.on('exit', () => process.exit())
