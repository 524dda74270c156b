/** The emails that Frontdesk itself sends to the person who wrote in. */
import type { Settings } from '../../config/settings.ts'
import { momentAhead } from '../../content/date-format.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { inLanguage } from '../../leads/body/languages.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { programNames } from '../../leads/lead/programs.ts'
import type { Links, StudentAction } from '../../signed-links.ts'
import { greeting } from '../greeting.ts'
import type { Content, OfStep, PersonMessage, PersonView, SchoolContext } from '../message-definition.ts'
import { personViews } from '../samples.ts'

/**
 * Tells the student that the inquiry arrived. Anyone can type anyone's address, so the email contains nothing that the
 * sender wrote: no one can use it to send their own words.
 */
export const receipt: PersonMessage = {
  template: 'letters/receipt.md',
  variables: receiptVariables,
  samples: personViews,
  more: automatic,
  linksAfterward: true,
}

/** Tells the owner of a mailbox that they already have an account. It says no more than the receipt. */
export const accountNotice: PersonMessage = { ...receipt, template: 'letters/account-notice.md' }

/** A follow-up email of the cadence. */
export const letter: OfStep<PersonMessage> = {
  variables: (view, context, language) => ({
    ...receiptVariables(view, context, language),
    greeting: greeting(view.lead.firstName),
  }),
  samples: personViews,
  more: automatic,
}

function receiptVariables({ lead, counselor, now }: PersonView, context: SchoolContext, language: string) {
  const by = context.calledBy(lead, now)
  return {
    school: schoolVariables(context.settings.school),
    programs: programsIn(language, context.settings),
    program: programOf(lead, language, context.settings),
    counselor: counselor?.name ?? null,
    called_by: by === undefined ? null : momentAhead(by, { now, language, school: context.settings.school }),
    learn_url: context.learnUrl,
    unsubscribe_url: studentLink(context.links, 'unsubscribe', lead),
    not_me_url: studentLink(context.links, 'not-me', lead),
  }
}

/** The counselor signs it, and mail programs offer a button to unsubscribe. */
function automatic({ lead, counselor }: PersonView, { links }: SchoolContext): Partial<Content> {
  return { ...(counselor && { signedBy: counselor.name }), unsubscribe: studentLink(links, 'unsubscribe', lead) }
}

/** A link for the owner of the address that the lead has now. */
const studentLink = (links: Links, action: StudentAction, lead: Lead): string =>
  links.student(action, lead.id, lead.correctedAt ?? lead.createdAt)

/** The program that a lead is most interested in, in the words of a language; null if the settings do not have it. */
export function programOf({ program }: Pick<Lead, 'program'>, language: string, settings: Programs) {
  const at = program === null ? -1 : programNames(settings).indexOf(program)
  return programsIn(language, settings)[at] ?? null
}

type Programs = Pick<Settings, 'programs' | 'languages'>

/** The programs of the settings, in the words of a language. */
export const programsIn = (language: string, { programs }: Pick<Settings, 'programs'>) =>
  programs.map(({ name, cost, starts, hours }) => ({
    name: inLanguage(name, language),
    cost: cost === undefined ? null : inLanguage(cost, language),
    starts: starts === undefined ? null : inLanguage(starts, language),
    hours: hours === undefined ? null : inLanguage(hours, language),
  }))
