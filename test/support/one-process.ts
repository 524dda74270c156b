/** Runs the test files that its arguments name, in this one process. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href)
