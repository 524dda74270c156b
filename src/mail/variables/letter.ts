/** The variables of emails to the person who wrote in. */
import type { Settings } from '../../config/settings.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { inLanguage } from '../../leads/body/languages.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { Links, StudentAction } from '../../signed-links.ts'
import type { Mailbox } from '../transport/message.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

/** A follow-up email to the person. */
export type LetterView = {
  lead: Lead
  now: number
  counselor: StaffMember | undefined
  /** The mailbox for replies; undefined if they go to the sender address, which is then watched. */
  replyTo: Mailbox | undefined
}

/** Contains nothing that the sender wrote: anyone can type anyone's address. */
export function receiptVariables({ lead, counselor }: LetterView, context: SchoolContext, language: string) {
  return {
    school: schoolVariables(context.settings.school),
    programs: programsIn(language, context.settings),
    counselor: counselor?.name ?? null,
    learn_url: context.learnUrl,
    unsubscribe_url: studentLink(context.links, 'unsubscribe', lead),
    not_me_url: studentLink(context.links, 'not-me', lead),
  }
}

/** A link for the owner of the address that the lead has now. */
export const studentLink = (links: Links, action: StudentAction, lead: Lead): string =>
  links.student(action, lead.id, lead.correctedAt ?? lead.createdAt)

export const letterVariables = (view: LetterView, context: SchoolContext, language: string) => ({
  ...receiptVariables(view, context, language),
  greeting: greeting(view.lead.firstName),
})

/** The programs of the settings, in the words of a language. */
export const programsIn = (language: string, { programs }: Pick<Settings, 'programs'>) =>
  programs.map(({ name, cost, starts, hours }) => ({
    name: inLanguage(name, language),
    cost: cost === undefined ? null : inLanguage(cost, language),
    starts: starts === undefined ? null : inLanguage(starts, language),
    hours: hours === undefined ? null : inLanguage(hours, language),
  }))

/** An email that someone at the school wrote to the person. */
export type WrittenView = LetterView & {
  /** The name of the person who wrote it. */
  author: string
  subject: string
  text: string
  /** The Message-ID that it replies to. */
  answers: string | undefined
}

export const writtenVariables = (
  { author, subject, text }: Pick<WrittenView, 'author' | 'subject' | 'text'>,
  { settings }: SchoolContext,
) => ({ school: schoolVariables(settings.school), author, subject, text })

/**
 * The name for the greeting: the first word of the first name, if it can only be a name. That way,
 * no one can send their own words through our emails: no sentence fits into it, joined by hyphens or
 * capitals, and no pile of marks. A name in capitals alone (`MARIA`) is written as usual.
 */
function greeting(firstName: string): string | null {
  const [word = ''] = firstName.trim().split(/\s/)
  if (!/^\p{L}[\p{L}\p{M}'’-]{1,19}$/u.test(word) || /\p{M}{4}/u.test(word)) return null
  const parts = word.split(/['’-]/)
  if (parts.length > 2) return null
  if (parts.every(part => capitalsIn(part) <= MOST_CAPITALS)) return word
  const allCapitals = parts.length === 1 && word === word.toUpperCase()
  return allCapitals ? word.charAt(0) + word.slice(1).toLowerCase() : null
}

/** How many capitals a part of a name may have, as in McKay. */
const MOST_CAPITALS = 2

const capitalsIn = (text: string): number => text.match(/\p{Lu}/gu)?.length ?? 0
