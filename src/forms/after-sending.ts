/**
 * What a person may see and still change after they have sent a form: the number and address that they gave, by when
 * someone calls, and which time is best. The page itself contains all of this, encrypted, so that no page looks up a
 * lead by what a stranger says.
 */
import type { Settings } from '../config/settings.ts'
import { momentAhead } from '../content/date-format.ts'
import type { FormDetails } from '../leads/body/form-details.ts'
import { readablePhone, toE164 } from '../leads/body/phone.ts'
import type { Kind } from '../leads/body/submission.ts'
import { capital } from '../leads/body/tidy-text.ts'
import { seal, unseal } from '../platform/sealed.ts'
import { type Clock, type DayPart, dayParts, MINUTE } from '../platform/time.ts'
import type { FormFacts } from './form-facts.ts'
import { fill } from './form-words.ts'
import { BEST_TIME } from './own-questions.ts'
import { bodyFieldsOf, givenIn } from './shown-fields.ts'
import type { FormToken } from './token.ts'

/** When the school will have called a person who writes now, at the latest; undefined if it promises nothing. */
export type CalledBy = (
  kind: Kind,
  person: { state: string | null; phoneE164: string | null; bestTime: DayPart | null },
) => number | undefined

/** What a person has sent, as the page after the form stores it. */
export type Sent = {
  at: number
  key?: string | undefined
  token: FormToken
  values: Readonly<Record<string, string>>
  bestTime?: DayPart | undefined
  trap?: string | undefined
  /** By when someone calls, for a page that must not contain the data that this depends on; null without a promise. */
  by?: number | null
  /** Whether the second step of the form has completed it; another best time would then be a further inquiry. */
  completed?: true
  /** Whether they have corrected what they sent before. */
  corrected?: true
}

/** What the page after the form shows. */
export type Next = {
  phone: string
  email: string
  when: string | undefined
  bestTime: DayPart | undefined
  completed: boolean
  corrected: boolean
  sealed: string
}

/** The result of a post. `next` is a function because it takes time, and only a page that shows it needs it. */
export type Told = { sealed: string; next: () => Next }

/** After this time, the page shows nothing about the person. */
const LIFETIME = 30 * MINUTE

type Services = { settings: Settings; clock: Clock; secretKey: string; calledBy: CalledBy }

export type AfterSending = ReturnType<typeof createAfterSending>

export function createAfterSending({ settings, clock, secretKey, calledBy }: Services) {
  const { school } = settings
  const sealOf = (owner: string) => ({ secretKey, purpose: 'page after a form', owner })
  return {
    /** What was sent with this token. `corrects`: what it corrects. */
    sentWith(
      { kind }: FormFacts,
      {
        values,
        token,
        key,
        details,
        corrects,
      }: Pick<Sent, 'values' | 'token' | 'key'> & { details: FormDetails; corrects: Sent | undefined },
    ): Sent {
      const { bestTime = corrects?.bestTime, trap } = details
      const sent = { at: clock.now(), key, token, values: givenIn(values, bodyFieldsOf(kind)), bestTime, trap }
      return corrects ? { ...sent, ...(corrects.completed && { completed: true }), corrected: true } : sent
    },

    /** What a post with this seal corrects; undefined if it is an inquiry of its own. */
    correctedBy(facts: FormFacts, sealed: string | undefined): (Sent & { key: string }) | undefined {
      const sent = read(facts, sealed)
      return sent?.key === undefined ? undefined : { ...sent, key: sent.key }
    },

    read,
    told,

    /** When someone calls, in words; undefined if we do not promise anything, or `sealed` is not ours or is too old. */
    calledWhen(facts: FormFacts, sealed: string | undefined): string | undefined {
      const sent = read(facts, sealed)
      return sent && whenFor(facts, sent)
    },

    /** On a tablet that people pass around, what the page may say must not contain any data about the person. */
    onTablet: (facts: FormFacts, sent: Sent): Told =>
      told(facts, { at: sent.at, token: sent.token, values: {}, by: promisedTo(facts, sent) ?? null }),

    /**
     * After the second step of a form, to which the key belongs: what the page after the first step would have said,
     * and the time that they chose.
     */
    completed(
      facts: FormFacts,
      sealed: string | undefined,
      { key, bestTime }: Pick<Sent, 'key' | 'bestTime'>,
    ): Told | undefined {
      const sent = read(facts, sealed)
      return sent && told(facts, { ...sent, key: key ?? sent.key, ...(bestTime && { bestTime }), completed: true })
    },
  }

  /** What was sent; undefined if we did not encrypt it for this form, or did so too long ago. */
  function read({ form }: FormFacts, sealed: string | undefined): Sent | undefined {
    const text = sealed && unseal(sealOf(form.name), Buffer.from(sealed, 'base64url'))
    const sent: Sent | undefined = text ? JSON.parse(text.toString()) : undefined
    return sent !== undefined && clock.now() - sent.at < LIFETIME ? sent : undefined
  }

  function told(facts: FormFacts, sent: Sent): Told {
    const sealed = seal(sealOf(facts.form.name), Buffer.from(JSON.stringify(sent))).toString('base64url')
    return { sealed, next: () => nextFor(facts, sent, sealed) }
  }

  function promisedTo({ kind }: FormFacts, { values, bestTime }: Sent): number | undefined {
    const { phone = '', state = null } = values
    return calledBy(kind, { state, phoneE164: toE164(phone, school.country) ?? null, bestTime: bestTime ?? null })
  }

  function whenFor(facts: FormFacts, sent: Sent): string | undefined {
    const by = sent.by === undefined ? promisedTo(facts, sent) : sent.by
    return by === undefined || by === null ? undefined : whenInWords(by, clock.now(), facts)
  }

  function nextFor(facts: FormFacts, sent: Sent, sealed: string): Next {
    const { phone = '', email = '' } = sent.values
    return {
      phone: readablePhone(phone, school.country),
      email,
      when: whenFor(facts, sent),
      bestTime: sent.bestTime,
      completed: sent.completed === true,
      corrected: sent.corrected === true,
      sealed,
    }
  }
}

/** The details of a submission that only adds the best time to call, as the person said it. */
export const detailsWithTime = (
  { form, language }: FormFacts,
  { token, trap }: Sent,
  { bestTime, placement }: { bestTime: DayPart; placement: FormDetails['placement'] },
): FormDetails => ({
  campaign: {},
  language,
  placement,
  startedAt: token.startedAt,
  consent: null,
  name: form.name,
  bestTime,
  answers: [{ question: BEST_TIME, answer: capital(bestTime) }],
  ...(trap !== undefined && { trap }),
})

export const dayPartNamed = (text: string | undefined): DayPart | undefined => dayParts.find(part => part === text)

/** `today by 5:00 PM EST`, `on Monday by 9:30 AM EST`. */
export function whenInWords(
  moment: number,
  now: number,
  { words: { after }, language, settings }: Pick<FormFacts, 'words' | 'language' | 'settings'>,
): string {
  const { days, day, time } = momentAhead(moment, { now, language, school: settings.school })
  const sentence = days === 0 ? after.today : days === 1 ? after.tomorrow : after.onDay
  // In Spanish, "one o'clock" is singular.
  return fill(sentence, { day, time }).replace(/\blas 1:/, 'la 1:')
}
