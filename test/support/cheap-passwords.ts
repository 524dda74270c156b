/** Hashes of passwords that cost nothing. Ours cost 40 ms, as they should, and the tests sign in hundreds of times. */
import { hashCost } from '../../src/console/sign-in/passwords.ts'

/** What a hash costs outside of the tests. */
export const usualHashCost = { ...hashCost }

Object.assign(hashCost, { memory: 64, passes: 1 })
