/** The emails and saved replies that managers edit: the list of them, and each as the fields of a form. */
import type { Settings } from '../../config/settings.ts'
import {
  contentDirs,
  fileIn,
  isIn,
  markdownIn,
  ourContent,
  ROOT_LANGUAGE,
  readContent,
} from '../../content/content-files.ts'
import { splitHead } from '../../content/front-matter.ts'
import { templateOf, templatesOf } from '../../follow-up/cadence.ts'
import { whenInWords } from '../../follow-up/cadence-words.ts'
import { capital } from '../../leads/body/tidy-text.ts'

/** A text as the fields of a form; a saved reply also has a name and the kind of lead that it is for. */
export type EmailFields = { name: string; for: string; subject: string; preheader: string; text: string }

export const END = 'letters/letter-end.md'

/** Emails whose text a counselor writes each time, so there is none to edit. */
const WITHOUT_TEXT = new Set(['letters/personal.md'])

export const isReply = (file: string): boolean => file.startsWith('replies/')

const RECEIPT = 'letters/receipt.md'
const ACCOUNT_NOTICE = 'letters/account-notice.md'

/**
 * The files of the emails to students, in the order in which they go out, then those that no step of the cadence
 * sends, and the common ending of all emails last; and the files of saved replies.
 */
export function emailFiles(settings: Settings): { letters: string[]; replies: string[] } {
  const folders = contentDirs(settings.content, settings.texts)
  const filesIn = (name: string) =>
    [...new Set(folders.flatMap(folder => markdownIn(folder, name).map(file => `${name}/${file}.md`)))]
      .filter(file => EDITABLE.test(file) && !WITHOUT_TEXT.has(file))
      .toSorted()
  const inOrder = [RECEIPT, ACCOUNT_NOTICE, ...templatesOf(settings.followUp)]
  const rank = (file: string) => (file === END ? Infinity : inOrder.indexOf(file) + 1 || inOrder.length + 1)
  return { letters: filesIn('letters').toSorted((one, other) => rank(one) - rank(other)), replies: filesIn('replies') }
}

/** When an email to a student goes out, in words. */
export function whenSent(file: string, { followUp }: Settings): string {
  if (file === RECEIPT) return 'Immediately, when a student writes in'
  if (file === ACCOUNT_NOTICE) return 'Immediately, to someone who already has an account, instead of the receipt'
  if (file === END) return 'Below each of these emails'
  const steps = [...followUp.student, ...followUp.site].filter(step => templateOf(step) === file)
  return steps.length === 0 ? 'No step of the cadence sends it' : capital(steps.map(whenInWords).join(', and '))
}

const EDITABLE = /^(letters|replies)\/[a-z0-9][a-z0-9-]{0,60}\.md$/

/** The text that is sent in a language; undefined if there is none, so that people get the English one. */
export function textIn(file: string, language: string, { content, texts }: Settings): string | undefined {
  const folders = contentDirs(content, texts)
  const name = fileIn(language, file)
  return folders.some(folder => isIn(folder, name)) ? readContent(name, folders) : undefined
}

/** The origin of a text that no one has changed. */
export const UNCHANGED = 'as it comes with Frontdesk'

/** Where the text of a language comes from. */
export function originOf(file: string, language: string, { content, texts }: Settings): string {
  if (texts?.[file]?.[language] !== undefined) return 'edited here'
  const name = fileIn(language, file)
  if (content !== undefined && isIn(content, name)) return 'a file in your content folder'
  return isIn(ourContent, name) ? UNCHANGED : 'not written yet'
}

/** Whether the English text was changed here after the one in this language. */
export const lagsBehind = (file: string, language: string, { texts }: Settings): boolean =>
  language !== ROOT_LANGUAGE && (texts?.[file]?.[ROOT_LANGUAGE]?.at ?? 0) > (texts?.[file]?.[language]?.at ?? 0)

/** The languages of the school, and English, which all others fall back to. */
export const languagesOf = ({ languages }: Settings): string[] => [...new Set([...languages, ROOT_LANGUAGE])]

const LINES = { letters: ['subject', 'preheader'], replies: ['name', 'for', 'subject'] } as const

/** A text as a form shows it. If the file cannot be read as fields, all of it is shown as one text. */
export function fieldsOfText(file: string, source: string): EmailFields {
  const blank: EmailFields = { name: '', for: '', subject: '', preheader: '', text: source.trim() }
  if (file === END) return blank
  try {
    const { head, body } = splitHead<string>(source, isReply(file) ? LINES.replies : LINES.letters)
    return { ...blank, ...head, text: body.trim() }
  } catch {
    return blank
  }
}

export function textOfFields(file: string, fields: EmailFields): string {
  const body = `${fields.text.replaceAll('\r\n', '\n').trim()}\n`
  if (file === END) return body
  const lines: readonly (keyof EmailFields)[] = isReply(file) ? LINES.replies : LINES.letters
  const head = lines.flatMap(line =>
    fields[line] === '' ? [] : `${line}: ${fields[line].replace(/\s+/g, ' ').trim()}`,
  )
  return `---\n${head.join('\n')}\n---\n${body}`
}

/** The name of an email or reply in lists: the email's subject, or the reply's name. */
export function titleOf(file: string, settings: Settings, language = ROOT_LANGUAGE): string {
  if (file === END) return 'The end of every email to a student'
  const source = textIn(file, language, settings) ?? textIn(file, ROOT_LANGUAGE, settings)
  if (source === undefined) return file
  const { name, subject } = fieldsOfText(file, source)
  // For a subject with a condition, the words of its `else`.
  const title = (isReply(file) ? name : subject).replace(/\{% if .*?\{% else %\}(.*?)\{% endif %\}/g, '$1')
  return title.replace(/\{\{ ?school\.name ?\}\}/g, settings.school.name) || file
}

/** Emails that a step of the cadence sends and that someone has written here, without a file. */
export const missingFromCadence = (settings: Settings, texts: NonNullable<Settings['texts']>): string[] => {
  const folders = contentDirs(settings.content, texts)
  return templatesOf(settings.followUp).filter(
    file => settings.texts?.[file] !== undefined && !folders.some(folder => isIn(folder, file)),
  )
}

/** What can be inserted into a text, and what it becomes. The first of each pair is the inserted text. */
export const variablesFor = (file: string): readonly (readonly [string, string])[] =>
  isReply(file)
    ? [...COMMON, ...OF_REPLIES, PROGRAM_LIST]
    : file === END
      ? [...COMMON, ...OF_LETTERS]
      : letterVariables(file)

const letterVariables = (file: string) => [
  ...COMMON,
  ...OF_ALL_LETTERS,
  ...(file === RECEIPT ? [['{{ who_calls }}', 'who will call them, and by when'] as const] : []),
  ...(file === RECEIPT || file === ACCOUNT_NOTICE ? [] : OF_FOLLOW_UP),
  ...PROGRAMS,
  ...OF_LETTERS,
  ["{% include 'letters/letter-end.md' %}", 'the end: signature, link to unsubscribe, your address'] as const,
]

const COMMON = [
  ['{{ school.name }}', 'the name of the school'],
  ['{{ school.phone }}', 'your phone number'],
  ['{{ school.website }}', 'your website'],
  ['{{ counselor }}', 'the name of the counselor'],
] as const
const OF_REPLIES = [
  ['{{ person.first_name }}', 'their first name'],
  ['{{ company }}', 'their company'],
  ['{{ state }}', 'their state'],
] as const
const OF_LETTERS = [
  ['{{ school.postal_address }}', 'your postal address'],
  ['{{ unsubscribe_url }}', 'the link to unsubscribe'],
  ['{{ learn_url }}', 'your learning site'],
] as const
const OF_ALL_LETTERS = [
  ['{{ reply_or_call }}', 'how they reach you: “reply to this email or call us at …”'],
  ['{{ our_website }}', 'where there is more about your programs; empty without a website'],
  ['{{ who_answers }}', '“I will get back to you”; without a counselor, “one of us will …”'],
  ['{{ your_contact }}', 'who the counselor is; empty without one'],
] as const
const OF_FOLLOW_UP = [
  ['{{ hello }}', 'the greeting, with their first name'],
  ['{{ greeting }}', 'their first name'],
] as const
const PROGRAM_LIST = ['{{ program_list }}', 'the list of your programs'] as const
const PROGRAMS = [
  PROGRAM_LIST,
  ['{{ programs_in_short }}', 'their program with its facts; if it is not known, your programs'],
  ['{{ programs_in_full }}', 'classes, cost and start of their program; if it is not known, of each'],
] as const
