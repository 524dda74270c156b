/**
 * Estimates how many guesses a password takes: finds common passwords, keyboard rows, dates, repetitions and names. A
 * file of its own, so that the libraries are loaded only when someone chooses a password: they are CommonJS, and the
 * bundle finds what these export only where an import is static.
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

export const estimator: ZxcvbnFactory = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
