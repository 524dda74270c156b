/**
 * The words by which leads are found. The same functions make the words for the index and for a search, and both
 * databases store them unchanged, so both find the same leads.
 */
import { hash } from 'node:crypto'
import { cameFrom, campaignName } from '../body/came-from.ts'
import type { ConsentState } from '../body/consent.ts'
import { isSameNumber, phoneDigits } from '../body/phone.ts'
import { withoutRank } from '../body/ranked-answers.ts'
import type { Submission } from '../body/submission.ts'
import { isNear, nearKeys } from './one-typo.ts'

/** The longest word, in code units. Longer words are cut off, both in the index and in a search. */
const LONGEST_WORD = 40

/** The most words of a search; further words are ignored. */
const MOST_WORDS = 10

/**
 * The parts of a phone number that people remember, by the number of digits at its end: the number itself, without the
 * area code, its last digits.
 */
const PHONE_ENDINGS = [10, 7, 4]

/** A text is a phone number if it has at least this many digits, and otherwise only what stands between them. */
const LEAST_DIGITS = 4

/** The words of a text, without capitals and accents, and without anything that is neither letter nor digit. */
const wordsIn = (text: string): string[] =>
  folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
    .map(word => word.slice(0, LONGEST_WORD).toWellFormed())

/** The text with compatibility forms and capitals unified, even `ß` and `ss`, or the two small sigmas of Greek. */
const folded = (text: string): string =>
  text.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ς', 'σ')

/** Facts, such as the state. The colon distinguishes them from words that someone wrote. */
const stateWord = (state: string): string => `state:${joined(state)}`
const sourceWord = (source: string): string => `source:${joined(source)}`

const campaignWord = (campaign: string): string => `campaign:${whole(campaign)}`
const cameFromWord = (site: string): string => `from:${whole(site)}`
const formWord = (form: string): string => `form:${joined(form)}`
export const consentWord = (consent: ConsentState): string => `${CONSENT}${consent}`

const languageWord = (language: string): string => `${LANGUAGE}${joined(language)}`

const campusWord = (campus: string): string => `${CAMPUS}${whole(campus)}`

export const programWord = (program: string): string => `${PROGRAM}${whole(program)}`

/** One of the school's own questions with its answer: `Which shift?: Evening`. */
const answerWord = (answer: string): string => `answer:${whole(answer)}`

export const labelWord = (id: number): string => `label:${id}`

const CONSENT = 'consent:'
const LANGUAGE = 'language:'
const CAMPUS = 'campus:'
const PROGRAM = 'program:'

/** Words of a name are indexed a second time, so that people with that name come before people who wrote it. */
const nameWord = (word: string): string => `name:${word}`

/** The keys that a word of a name shares with words that are one typo away from it. */
const nearWords = (word: string): string[] => nearKeys(word).map(key => `near:${key}`)

/** The facts by which a filter narrows a search for words. */
export type FactFilter = {
  /** The code of a state, as the lead has it. */
  state?: string | undefined
  /** An answer to how they heard of the school, without its rank. */
  source?: string | undefined
  /** A campaign, and where it came from, in any of their inquiries through a form. */
  campaign?: string | undefined
  cameFrom?: string | undefined
  /** The name of the school's form, in any of their inquiries. */
  form?: string | undefined
  /** The program of the lead, by its name in the school's first language. */
  program?: string | undefined
  /** The campus that they chose last. */
  campus?: string | undefined
  /** One of the school's own questions, with an answer in any of their inquiries: `Which shift?: Evening`. */
  answer?: string | undefined
  /** The language of their latest form, such as `es`. */
  language?: string | undefined
  /** What they last said about calls and texts; null if no form has asked, for which there is no word in the index. */
  consent?: ConsentState | null | undefined
  /** The ids of labels; a lead must have all of them. */
  labels?: readonly number[] | undefined
}

/** The words that a filter requires. */
export const factsOf = ({
  state,
  source,
  campaign,
  cameFrom,
  form,
  program,
  campus,
  answer,
  language,
  consent,
  labels = [],
}: FactFilter): string[] => [
  ...(state === undefined ? [] : [stateWord(state)]),
  ...(source === undefined ? [] : [sourceWord(source)]),
  ...(campaign === undefined ? [] : [campaignWord(campaign)]),
  ...(cameFrom === undefined ? [] : [cameFromWord(cameFrom)]),
  ...(form === undefined ? [] : [formWord(form)]),
  ...(program === undefined ? [] : [programWord(program)]),
  ...(campus === undefined ? [] : [campusWord(campus)]),
  ...(answer === undefined ? [] : [answerWord(answer)]),
  ...(language === undefined ? [] : [languageWord(language)]),
  ...(consent ? [consentWord(consent)] : []),
  ...labels.map(labelWord),
]

const joined = (text: string) => wordsIn(text).join('').slice(0, LONGEST_WORD).toWellFormed()

/** Like `joined`, but keeps names distinct that differ only after many words. */
function whole(text: string): string {
  const letters = folded(text).replace(/[^\p{L}\p{N}]+/gu, '')
  return letters.length <= LONGEST_WORD
    ? letters.toWellFormed()
    : hash('sha256', letters.toWellFormed(), 'hex').slice(0, LONGEST_WORD)
}

/** What is indexed for a lead: the lead itself, and every submission of it. */
export type Searchable = {
  firstName: string
  lastName: string
  email: string | null
  phone: string | null
  phoneE164: string | null | undefined
  company: string | null | undefined
  state: string | null | undefined
  consent: ConsentState | null
  language: string | null
  program: string | null
  campus: string | null
}

type Said = Pick<Submission, 'body' | 'form'>

/** The words by which a lead is found, each once, in their stored form: with spaces in between. */
export function indexedWords(lead: Searchable, submissions: readonly Said[], labels: readonly number[] = []): string {
  const bodies = submissions.map(({ body }) => body)
  const forms = submissions.map(({ form }) => form)
  const answers = forms.flatMap(form => form?.answers ?? [])
  const people = [lead, ...bodies].flatMap(one => [...wordsIn(one.firstName), ...wordsIn(one.lastName)])
  const companies = [lead, ...bodies].flatMap(one => wordsIn(('company' in one && one.company) || ''))
  const texts = [lead, ...bodies].flatMap(one => [
    one.email,
    'city' in one ? one.city : undefined,
    'employer' in one ? one.employer : undefined,
    'message' in one ? one.message : undefined,
  ])
  const phones = [lead.phone, lead.phoneE164, ...bodies.map(({ phone }) => phone)]
  const sources = bodies.flatMap(body => ('source' in body && body.source?.text) || [])
  return together([
    ...[...people, ...companies].flatMap(word => [word, nameWord(word)]),
    ...people.flatMap(nearWords),
    ...texts.flatMap(text => wordsIn(text ?? '')),
    ...answers.flatMap(({ answer }) => wordsIn(answer)),
    ...phones.flatMap(phone => phoneWords(phone ?? '')),
    ...(lead.state ? [stateWord(lead.state)] : []),
    ...sources.map(source => sourceWord(withoutRank(source))),
    ...forms.flatMap(form => campaignName(form) ?? []).map(campaignWord),
    ...forms.flatMap(form => cameFrom(form) ?? []).map(cameFromWord),
    ...forms.flatMap(form => form?.name ?? []).map(formWord),
    ...answers.flatMap(({ question, answer }) => oneByOne(answer).map(one => answerWord(`${question}: ${one}`))),
    ...(lead.program === null ? [] : [programWord(lead.program)]),
    ...(lead.campus === null ? [] : [campusWord(lead.campus)]),
    ...(lead.language === null ? [] : [languageWord(lead.language)]),
    ...(lead.consent === null ? [] : [consentWord(lead.consent)]),
    ...labels.map(labelWord),
  ])
}

/** The answer as a whole, and each of its parts if it has several. */
const oneByOne = (answer: string): string[] => [...new Set([answer, ...answer.split('; ')])]

/** At most this many words are indexed of one text that staff or the person write later, such as an email. */
const MOST_OF_TEXT = 300

/** The words of such a text, in the same form as in `indexedWords`. */
export const wordsOfText = (text: string): string => together(wordsIn(text).slice(0, MOST_OF_TEXT))

/** Adds words to those that are stored. For a fact that a lead has only once, the new word replaces the stored one. */
export function mergedWords(stored: string, more: string): string {
  const added = more.split(' ')
  const replaced = ONCE.filter(fact => added.some(word => word.startsWith(fact)))
  const kept = stored.split(' ').filter(word => !replaced.some(fact => word.startsWith(fact)))
  return together([...kept, ...added])
}

const ONCE = [CONSENT, LANGUAGE, CAMPUS, PROGRAM]

const together = (words: readonly string[]): string => [...new Set(words)].sort().join(' ')

function phoneWords(phone: string): string[] {
  const digits = phoneDigits(phone)
  if (digits.length < LEAST_DIGITS) return []
  return [digits, ...PHONE_ENDINGS.map(length => digits.slice(-length))]
}

/** Whether a text identifies a person, by email address, phone number or last name; if so, it is about them. */
export function namesPerson(
  text: string,
  { lastName, email = '', phone }: { lastName: string; email?: string; phone?: string },
): boolean {
  const words = new Set(wordsIn(text))
  const has = (part: string) => {
    const parts = wordsIn(part)
    return parts.length > 0 && parts.every(word => words.has(word))
  }
  const digits = phoneDigits(text)
  return (
    has(lastName) || has(email) || (phone !== undefined && digits.length >= LEAST_NAMING && isSameNumber(digits, phone))
  )
}

/** With fewer digits than this, a text is the end of many people's numbers. */
const LEAST_NAMING = 7

/**
 * The words that a lead must have to be found. The last one may be only the beginning of a word. A phone number,
 * however it is written, is one word.
 */
export type WordSearch = { words: string[]; prefix: string | undefined }

/** Whether a lead's stored words include everything that a search requires. */
export function hasWords(stored: string, { words, prefix }: WordSearch): boolean {
  const all = ` ${stored} `
  return words.every(word => all.includes(` ${word} `)) && (prefix === undefined || all.includes(` ${prefix}`))
}

/** Limits a search to names; undefined if it is for a number. */
export function inNames({ words, prefix }: WordSearch): WordSearch | undefined {
  if (words.length === 0 && /^\d*$/.test(prefix ?? '')) return undefined
  return { words: words.map(nameWord), prefix: prefix && nameWord(prefix) }
}

/** The words of the search as whole words of a name. */
export const wholeNames = ({ words, prefix }: WordSearch): string[] =>
  [...words, ...(prefix === undefined ? [] : [prefix])].map(nameWord)

/** The keys of each word of a search. A name that is one typo away from the word has at least one of them. */
export const nearNames = ({ words, prefix }: WordSearch): string[][] =>
  [...words, ...(prefix === undefined ? [] : [prefix])].map(nearWords)

/** Whether someone's name has each word of a search, allowing one typo in each. */
export function isNearName(lead: { firstName: string; lastName: string }, { words, prefix }: WordSearch): boolean {
  const names = wordsIn(`${lead.firstName} ${lead.lastName}`)
  return [...words, ...(prefix === undefined ? [] : [prefix])].every(word => names.some(name => isNear(name, word)))
}

/** Whether someone's name has each word of a search, without any typo. */
export function isCalled(lead: { firstName: string; lastName: string }, { words, prefix }: WordSearch): boolean {
  const names = wordsIn(`${lead.firstName} ${lead.lastName}`)
  return [...words, ...(prefix === undefined ? [] : [prefix])].every(word => names.includes(word))
}

/** Reads what someone typed; undefined if there is nothing to look for. */
export function parseWords(text: string): WordSearch | undefined {
  const digits = phoneDigits(text)
  if (digits.length >= LEAST_DIGITS && /^[\s\d().+/-]+$/.test(text.normalize('NFKC')))
    return { words: [], prefix: digits.slice(0, LONGEST_WORD) }
  const words = wordsIn(text).slice(0, MOST_WORDS)
  const last = words.at(-1)
  return last === undefined ? undefined : { words: words.slice(0, -1), prefix: last }
}
