/**
 * The runner of Node.js follows each promise of a test, only to say which test an uncaught error belongs to. That takes 5
 * to 11 % of the CPU time of our tests, so here it follows timers and sockets, but not promises. Load it before
 * `node:test`.
 */
import asyncHooks from 'node:async_hooks'
import { inspect } from 'node:util'

const { createHook } = asyncHooks
asyncHooks.createHook = callbacks => createHook({ ...callbacks, trackPromises: false })

// Without its test, the runner does not show the error, but only fails.
const show = (error: unknown) => process.stderr.write(`An error that no test has caught: ${inspect(error)}\n`)
process.on('uncaughtExceptionMonitor', show)
process.on('unhandledRejection', show)
