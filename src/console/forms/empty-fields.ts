/** What a form says if a manager leaves a field of the editor empty. */
import type { SchoolForm } from '../../config/school-form.ts'
import { contentDirs } from '../../content/content-files.ts'
import { calledBy } from '../../follow-up/called-by.ts'
import { whenInWords } from '../../forms/after-sending.ts'
import { consentOf } from '../../forms/form-facts.ts'
import { fill, readWords, type Words } from '../../forms/form-words.ts'
import { lazyEach } from '../../platform/lazy.ts'
import type { ConsoleDeps } from '../frame/context.ts'

type Said = {
  /** All our words for a form of this kind. */
  words: Words
  /** What people agree to; empty if the form does not ask for consent. */
  consent: string
  /** A sentence that says when someone would call a person who sent the form now; `when`: the time in it, if any. */
  thanks: string
  when: string | undefined
}

/** By language. A text that everyone sees without a translation, as the consent is, counts for every language. */
export function saidWhereEmpty(
  form: SchoolForm,
  { settings, calendar, clock }: ConsoleDeps,
): (language: string) => Said {
  const { kind } = form
  const now = clock.now()
  const place = { state: null, phoneE164: null, bestTime: null }
  const by = calledBy(now, { cadence: settings.followUp[kind], calendar, place })
  return lazyEach(language => {
    const words = readWords(language, contentDirs(settings.content), kind)
    const { sent, willCall } = words[kind]
    const when = by === undefined ? undefined : whenInWords(by, now, { words, language, settings })
    return {
      words,
      consent: consentOf(form, language, words, settings)?.text ?? '',
      thanks: when === undefined ? sent : fill(willCall, { when }),
      when,
    }
  })
}
