/**
 * The results of the follow-up emails to the person of a lead: a function of its current timeline. An answer counts for
 * the last follow-up email before it, unless someone at the school wrote in between.
 */
import type { Kysely } from 'kysely'
import { trackOf } from '../../follow-up/cadence.ts'
import type { TimeZone } from '../../follow-up/time-zones.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { TimelineKind } from '../../leads/lead/timeline-entries.ts'
import { DAY, utcDay } from '../../platform/time.ts'
import { parseCadence } from '../follow-up/cadence-versions.ts'
import type { Schema } from '../tables/schema.ts'

/** The day on which an email was sent, the name of its step, and a letter for each answer to it. */
type EmailFact = [day: string, step: string, answers: string]

/** `r`: a reply; `u`: a wish to get no more; `b`: a bounce. */
const answers: Partial<Record<TimelineKind, string>> = {
  reply: 'r',
  unsubscribed: 'u',
  complaint: 'u',
  'not-me': 'u',
  bounce: 'b',
}

const READ = ['email', 'message', ...Object.keys(answers)] as TimelineKind[]

/** The facts about emails, by the id of the lead; leads without such emails are left out. */
export async function readEmailFacts(
  db: Kysely<Schema>,
  leads: readonly { id: number; kind: Kind; cadence_id: number | null }[],
  zone: Pick<TimeZone, 'localTime'>,
): Promise<Map<number, string>> {
  const followed = new Map(leads.filter(lead => lead.cadence_id !== null).map(({ id, kind }) => [id, kind]))
  const letters = followed.size === 0 ? undefined : await readLetters(db)
  const found = new Map<number, EmailFact[]>()
  if (letters === undefined || letters.student.size + letters.site.size === 0) return new Map()
  const entries = await db
    .selectFrom('timeline')
    .select(['lead_id', 'kind', 'at', 'detail', 'undone_at', 'mail'])
    .where('lead_id', 'in', [...followed.keys()])
    .where('kind', 'in', READ)
    .orderBy('id')
    .execute()
  for (const [id, own] of Map.groupBy(entries, entry => entry.lead_id)) {
    const names = letters[followed.get(id) ?? 'student']
    const emails: EmailFact[] = []
    let last: EmailFact | undefined
    for (const { kind, at, detail, undone_at, mail } of own) {
      const letter = answers[kind]
      if (kind === 'email' && names.has(detail)) {
        last = [utcDay(zone.localTime(at).day * DAY), detail, '']
        emails.push(last)
      } else if (kind === 'message' && undone_at === null) last = undefined
      else if (letter !== undefined && last && !last[2].includes(letter) && !isUnproven(mail)) last[2] += letter
    }
    if (emails.length > 0) found.set(id, emails)
  }
  return new Map([...found].map(([id, emails]) => [id, JSON.stringify(emails)]))
}

const isUnproven = (mail: string | null): boolean => mail?.includes('"unproven":true') ?? false

/** The names of the steps that write to the person, in any version of the cadence of each kind. */
async function readLetters(db: Kysely<Schema>): Promise<Record<Kind, Set<string>>> {
  const letters: Record<Kind, Set<string>> = { student: new Set(), site: new Set() }
  const versions = await db.selectFrom('cadences').select(['kind', 'steps']).execute()
  for (const { kind, steps } of versions)
    for (const step of parseCadence(steps)) if (trackOf(step) === 'student') letters[kind].add(step.name)
  return letters
}

/** The places where a lead's emails are counted: each under its step, for its day and month, with its answers. */
export const emailPlaces = (
  emails: string,
): { dimension: 'email'; period: string; value: string; codes: string[] }[] =>
  emails === ''
    ? []
    : (JSON.parse(emails) as EmailFact[]).flatMap(([day, value, letters]) =>
        [day, day.slice(0, 7)].map(period => ({ dimension: 'email' as const, period, value, codes: [...letters] })),
      )
