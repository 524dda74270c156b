/**
 * Estimates how many guesses a password takes: finds common passwords, keyboard rows, dates, repetitions and names. It
 * is a separate file, so that the libraries are loaded only when someone chooses a password. Its imports are static,
 * because the libraries are CommonJS, and the bundler finds their exports only in static imports.
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

export const estimator: ZxcvbnFactory = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
