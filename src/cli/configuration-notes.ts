/** What `check` notes about settings that are valid, but may not be what the operator meant. */
import type { Config } from '../config/config.ts'
import { brandNotes } from '../content/brand.ts'
import { asciiDomain, emailKey } from '../leads/email.ts'
import { memberName } from '../leads/staff.ts'
import type { Store } from '../store/store.ts'
import { count } from './output.ts'

/** One sentence for each pair of settings that seem to contradict each other, and for each surprise about the look. */
export const configurationNotes = (config: Config): string[] => [
  ...dkimNotes(config),
  ...mailboxNotes(config),
  ...counselorNotes(config),
  ...brandNotes(config.settings.school.brand),
]

/** Receivers count a signature only for a sender of the same organization (DMARC, RFC 7489 section 3.1). */
function dkimNotes({ mailFrom, settings: { mail } }: Config): string[] {
  if (mail.dkim === undefined) return []
  const [signing, sender] = [mail.dkim.domain.toLowerCase(), asciiDomain(mailFrom)]
  const related = [signing, sender].some(domain =>
    [signing, sender].every(other => other === domain || other.endsWith(`.${domain}`)),
  )
  if (related) return []
  return [
    `mail.dkim.domain is ${signing}, but MAIL_FROM is at ${sender}: receivers do not count the signature for that sender. Use one domain for both.`,
  ]
}

/** Without a trusted server, only replies to our own emails can be told from forged ones. */
function mailboxNotes({ imapUrl, settings: { mail } }: Config): string[] {
  if (imapUrl === undefined || mail.trustedServer !== undefined) return []
  return [
    'IMAP_URL is set, but mail.trustedServer is not: a new email from a student, or a copy from a counselor, does not count as theirs. Set it to the name that your mail server puts first in Authentication-Results.',
  ]
}

function counselorNotes({ settings: { admissions } }: Config): string[] {
  const byAddress = Map.groupBy(admissions.counselors, ({ email }) => emailKey(email))
  return [...byAddress.values()].flatMap(([first, ...others]) =>
    others.map(
      ({ id }) =>
        `admissions.counselors: ${first?.id} and ${id} have the same email address, ${first?.email}.`,
    ),
  )
}

/** One sentence for each counselor, and for a manager, who has leads but is not in the settings. */
export async function ownerNotes({ settings }: Config, store: Store): Promise<string[]> {
  return (await store.listOwners())
    .filter(({ owner }) => memberName(owner, settings.admissions) === undefined)
    .map(
      ({ owner, leads }) =>
        `${count(leads, 'open lead belongs', 'open leads belong')} to "${owner}", who is not in the settings: frontdesk leads assign <lead> <counselor>`,
    )
}
