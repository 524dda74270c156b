/** The Liquid variables of the public pages and `/llms.txt`: every fact about the service. */
import type { SchoolForm } from '../../config/school-form.ts'
import { FIRST_FORM, formsOf } from '../../config/school-forms.ts'
import type { Settings } from '../../config/settings.ts'
import { mailtoLink } from '../../content/contact-links.ts'
import { dateInWords } from '../../content/date-format.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { siteInterestSchema, studentInterestSchema } from '../../leads/body/body-schemas.ts'
import { FINGERPRINT_LIFETIME } from '../../leads/body/idempotency.ts'
import { inLanguage } from '../../leads/body/languages.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { maxHeaderSize, STATUS_CODES } from '../../platform/node-http.ts'
import { HOUR, MINUTE } from '../../platform/time.ts'
import { BODY_LIMIT } from '../body.ts'
import { formChoices } from '../form-choices.ts'
import { frameHeight } from '../frame-height.ts'
import { HEADERS_TIMEOUT, REQUEST_TIMEOUT } from '../listeners.ts'
import { addressLimits, dryRunLimits, networkLimits } from '../rate-limits.ts'
import { urlsOf } from '../urls.ts'
import { fieldsOf } from './documented-fields.ts'
import { type Example, siteExamples, studentExamples } from './examples.ts'
import { type DocumentedProgram, organizationData } from './organization.ts'
import { AGENT_RULE, NOT_OFFERED, SHOW_RULE } from './policy.ts'
import type { PublicConfig } from './public-config.ts'
import { type DocumentedResponse, emailLimits, sharedErrors, siteResponses, studentResponses } from './responses.ts'

/** Values are text or numbers, or null if there is nothing to say. `today`: when the day of the examples began. */
export function publicPageVariables(config: PublicConfig, today: number) {
  const { settings } = config
  const urls = urlsOf(config)
  const own = studentResponses(config).map(response)
  const ofStudent = (status: number) => own.find(one => one.status === status) ?? null
  const { accounts, contacts, pricing, siteInterest, studentInterest } = settings
  const programs = programsOf(settings)
  return {
    school: schoolVariables(settings.school),
    urls,
    agent_rule: AGENT_RULE,
    show_rule: SHOW_RULE,
    not_offered: NOT_OFFERED.join(', '),
    limits: {
      body_kib: BODY_LIMIT / 1024,
      networks: ([56, 48] as const).map(bits => ({
        bits,
        burst: networkLimits[bits].burst.points,
        day: networkLimits[bits].day.points,
      })),
      burst: addressLimits.burst.points,
      burst_minutes: addressLimits.burst.duration / MINUTE,
      day: addressLimits.day.points,
      dry_run_burst: dryRunLimits.burst.points,
      dry_run_day: dryRunLimits.day.points,
      student_email: emailLimits.student,
      site_email: emailLimits.site,
      header_kib: maxHeaderSize / 1024,
      header_seconds: HEADERS_TIMEOUT / 1000,
      request_seconds: REQUEST_TIMEOUT / 1000,
      same_body_hours: FINGERPRINT_LIFETIME / HOUR,
    },
    forms: { ...formSnippets(settings), only_here: isLoopback(new URL(urls.learn).hostname) },
    honeypot: siteInterest.honeypot,
    accounts: accounts.directory === 'none' ? 'none' : accounts.feedback,
    site: {
      name: 'site-interest',
      url: urls.siteInterest,
      timed: true,
      fields: fieldsOf(siteInterestSchema),
      examples: bodiesOf(siteExamples(settings, today)),
      accepted: siteResponses(config, today)[0]?.when,
    },
    student: {
      name: 'student-interest',
      url: urls.studentInterest,
      timed: false,
      fields: fieldsOf(studentInterestSchema, studentInterest.answers),
      ranked_settled: Object.values(studentInterest.answers).some(answer => answer?.allowed),
      examples: bodiesOf(studentExamples(settings, today)),
      accepted: ofStudent(200)?.when,
      conflict: ofStudent(409),
      lockout: ofStudent(429),
    },
    errors: sharedErrors(config, today).map(response),
    programs,
    organization: organizationData(settings.school, programs, urls.developers),
    pricing: {
      as_of: dateInWords(pricing.asOf, settings.school),
      charges: pricing.charges.map(charge => ({ note: null, ...charge })),
    },
    developer_contact: contacts.developers ?? null,
    developer_contact_url: contacts.developers ? mailtoLink(contacts.developers) : null,
    client_address_days: settings.privacy.clientAddressDays,
    privacy_url: contacts.privacy ?? null,
    security_contact: contacts.security ?? null,
  }
}

export type PublicPageVariables = ReturnType<typeof publicPageVariables>

/** In English, since the documents are. */
const programsOf = ({ programs }: Settings): DocumentedProgram[] =>
  programs.map(({ name, cost, starts, hours }) => ({
    name: inLanguage(name, 'en'),
    cost: cost === undefined ? null : inLanguage(cost, 'en'),
    starts: starts === undefined ? null : inLanguage(starts, 'en'),
    hours: hours === undefined ? null : inLanguage(hours, 'en'),
  }))

const bodiesOf = (examples: Example[]) => Object.fromEntries(examples.map(({ name, body }) => [name, body]))

const response = ({ examples, ...response }: DocumentedResponse) => ({
  ...response,
  reason: STATUS_CODES[response.status],
  examples: examples.map(({ summary, body }) => ({ summary, body: JSON.stringify(body) })),
})

/** What `/forms` says about the forms of this school: how high they are, and who may embed them. */
function formSnippets(settings: Settings) {
  const { forms } = settings
  const asLinks = (options: [value: string, words: string][]) =>
    options.map(([value, words]) => ({ value: encodeURIComponent(value), words }))
  const heightOf = (kind: Kind) => {
    const form = formsOf(settings).find(({ name }) => name === FIRST_FORM[kind]) as SchoolForm
    return { height: frameHeight(form, settings), untouched: frameHeight(form, settings, { untouched: true }) }
  }
  return {
    site: heightOf('site'),
    student: heightOf('student'),
    choices: formChoices(settings, { programs: true }).map(choice => ({
      label: choice.label,
      example: 'example' in choice ? choice.example : '',
      options: 'example' in choice ? [] : asLinks([['usual', choice.usual], ...choice.options]),
    })),
    click_ids: forms.clickIds,
    embed_on: forms.embedOn === 'any' ? null : forms.embedOn,
  }
}
