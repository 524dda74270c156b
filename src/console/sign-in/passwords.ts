/**
 * Passwords are stored as argon2id hashes, with the parameters that OWASP's Password Storage Cheat Sheet recommends.
 * Node.js computes them on its thread pool, so they do not block the event loop.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { TooManySignIns } from '../frame/error-pages.ts'

/** Memory in KiB; parallelism in lanes. */
type Parameters = { memory: number; passes: number; parallelism: number }

/** The cost parameters of a new hash. Only tests, which hash thousands of passwords, change them. */
export const hashCost: Parameters = { memory: 19_456, passes: 2, parallelism: 1 }
const HASH_LENGTH = 32

/** The minimum and maximum number of characters (NIST SP 800-63B-4 section 3.1.1.2: 15 without a second factor). */
export const SHORTEST_PASSWORD = 12
export const LONGEST_PASSWORD = 200

/** A password that takes fewer guesses than this is too easy: at one guess a minute, they take two centuries. */
const FEWEST_GUESSES = 1e8

/** How many characters of a password are estimated: a longer text takes a second. */
const ESTIMATED = 64

/**
 * What is wrong with a password that someone chooses, as a sentence; undefined if it can be used. `names` are words
 * that an attacker would try: from the name of the person, the address and the school.
 */
export async function passwordProblem(password: string, names: readonly string[]): Promise<string | undefined> {
  if (password.length < SHORTEST_PASSWORD) {
    return `The password must have at least ${SHORTEST_PASSWORD} characters. Four random words are easy to remember.`
  }
  if (password.length > LONGEST_PASSWORD) {
    return `The password must have at most ${LONGEST_PASSWORD} characters.`
  }
  const { estimator } = await import('./password-estimator.ts')
  // `Lakeside-School1` is as easy to guess as the same words without the characters between them.
  const spellings = [password, lettersOf(password)].map(spelling => spelling.slice(0, ESTIMATED))
  const known = ['Frontdesk', ...names].flatMap(name => [...name.split(/[^\p{L}\p{N}]+/u), lettersOf(name)])
  const guesses = spellings.map(spelling => estimator.check(spelling, known).guesses)
  return Math.min(...guesses) < FEWEST_GUESSES
    ? 'This password is easy to guess: it is common, follows a pattern, or is made of names that others know, such as ' +
        'yours or the school’s. Four random words are easy to remember.'
    : undefined
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')

/** Each hash takes 19 MiB, so few are computed at once, and a limited number wait. */
const AT_ONCE = 2
const MOST_WAITING = 30

/** Returns the hash in the PHC string format, with a new salt. Throws TooManySignIns. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await inTurn(() => derive(password, salt, hashCost, HASH_LENGTH))
  return writeHash(salt, hash)
}

function writeHash(salt: Buffer, hash: Buffer): string {
  const { memory, passes, parallelism } = hashCost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`
}

/**
 * Whether a password matches a hash. Without a hash, this takes as long and returns false, so that no one learns which
 * accounts exist. Throws TooManySignIns.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const { parameters, salt, hash } = readHash(stored ?? noOne())
  const derived = await inTurn(() => derive(password, salt, parameters, hash.length))
  return stored !== null && timingSafeEqual(hash, derived)
}

/** Reads a stored hash with the parameters that it was made with, so that ours can change. */
function readHash(stored: string): { parameters: Parameters; salt: Buffer; hash: Buffer } {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored)
  if (found === null) throw new Error('the stored hash of a password is not one of argon2id')
  const [, memory, passes, parallelism, salt = '', hash = ''] = found
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

const noOne = () => writeHash(Buffer.alloc(16), Buffer.alloc(HASH_LENGTH))

/** Unpadded, as the PHC string format requires. */
function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

/** A password may be written in more than one way: with a letter and its accent as one character or two. */
const derive = (password: string, nonce: Buffer, parameters: Parameters, tagLength: number): Promise<Buffer> =>
  argon2id('argon2id', { message: password.normalize('NFC'), nonce, tagLength, ...parameters })

const argon2id = promisify(argon2)

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING) throw new TooManySignIns()
    await new Promise<void>(resolve => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}
