/** The answers to `frontdesk init`: from a JSON file, or asked on the terminal. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { parseEmail } from '../../leads/body/email.ts'
import { resembles } from '../../leads/body/tidy-text.ts'
import { isPlainObject } from '../../platform/json.ts'
import { unreadable } from '../terminal/named-file.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { problemOf, type Question, questions, type Texts } from './questions.ts'

export type Person = { name: string; email: string }

export type Answers = { texts: Texts; counselors: Person[]; manager: Person | undefined }

/** Asks a question, and returns the answer as it was typed; empty to accept `preset`. */
export type Ask = (question: Pick<Question, 'ask' | 'why' | 'secret'>, preset: string) => Promise<string>

/** Reads the answers from JSON; what it leaves out takes its default. Throws CommandFailed with every problem. */
export function answersFrom(file: string): Answers {
  const given = read(file)
  const problems: string[] = []
  const names = [...questions.map(({ name }) => name), 'counselors', 'manager']
  for (const name of Object.keys(given).filter(name => !names.includes(name))) {
    const meant = names.find(known => resembles(name, known))
    problems.push(`${name} is not a question${meant === undefined ? '' : ` (did you mean ${meant}?)`}`)
  }
  const texts: Texts = {}
  for (const question of questions) {
    if (question.when?.(texts) === false) continue
    const own = textOf(given[question.name])
    const text = own ?? question.default(texts)
    texts[question.name] = text
    const problem = problemOf(question, text, texts)
    // A default follows from other answers. If it is wrong, one of those may be to blame, and was reported already.
    if (problem !== undefined && (own !== undefined || problems.length === 0)) problems.push(problem)
  }
  const people = (value: unknown, name: string): Person[] => {
    const list = Array.isArray(value) ? value : [value]
    if (list.every(isPerson)) return list
    problems.push(`${name} must have a name and an email each: { "name": "…", "email": "…" }`)
    return []
  }
  const counselors = people(given['counselors'] ?? [], 'counselors')
  const [manager] = given['manager'] === undefined ? [] : people(given['manager'], 'manager')
  if (problems.length > 0) throw new CommandFailed([`${file}:`, ...problems].join('\n  - '))
  return { texts, counselors, manager }
}

function read(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isPlainObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw unreadable(file, error as NodeJS.ErrnoException)
    throw new CommandFailed(`${file} cannot be read: ${error.message}`)
  }
  throw new CommandFailed(`${file} must hold one JSON object`)
}

/** Numbers and booleans may be written as such in JSON. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value).trim()
}

function isPerson(value: unknown): value is Person {
  if (!isPlainObject(value)) return false
  const { name, email: address } = value
  return typeof name === 'string' && name !== '' && typeof address === 'string' && isEmail(address)
}

const isEmail = (text: string): boolean => parseEmail(text) !== undefined

/** Asks every question, and asks it again until its answer is valid. `say` shows what is wrong. */
export async function askAll(ask: Ask, say: (text: string) => void): Promise<Answers> {
  const texts: Texts = {}
  for (const question of questions) {
    if (question.when?.(texts) === false) continue
    const preset = question.default(texts)
    for (;;) {
      const text = (await ask(question, preset)).trim() || preset
      const problem = problemOf(question, text, texts)
      texts[question.name] = text
      if (problem === undefined) break
      say(`That does not work: ${problem}.`)
    }
  }
  const counselors: Person[] = []
  for (;;) {
    const why =
      counselors.length === 0
        ? 'Counselors get the students in turn. Without any, all go to the admissions team.'
        : 'Press Enter without a name when you have named them all.'
    const person = await askPerson(ask, say, `Name of counselor ${counselors.length + 1}`, why)
    if (person === undefined) break
    counselors.push(person)
  }
  const why = 'We notify them when no one has reached a student. Empty: we notify the team.'
  return { texts, counselors, manager: await askPerson(ask, say, 'Name of the manager', why) }
}

async function askPerson(
  ask: Ask,
  say: (text: string) => void,
  what: string,
  why: string,
): Promise<Person | undefined> {
  const name = (await ask({ ask: what, why }, '')).trim()
  if (name === '') return undefined
  for (;;) {
    const address = (await ask({ ask: `Email of ${name}`, why: 'Their own mailbox.' }, '')).trim()
    if (isEmail(address)) return { name, email: address }
    say('That does not work: it must be one email address.')
  }
}

/** Asks on the terminal of this process. Close it afterward. */
export function terminalAsker(): { ask: Ask; close: () => void } {
  let hidden = false
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!hidden) process.stdout.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY })
  return {
    ask: async ({ ask, why, secret }, preset) => {
      process.stdout.write(`\n${ask}\n  ${why}\n`)
      const answer = lines.question(preset === '' || secret ? '> ' : `[${preset}] > `)
      hidden = secret === true
      try {
        return await answer
      } finally {
        if (hidden) process.stdout.write('\n')
        hidden = false
      }
    },
    close: () => lines.close(),
  }
}
