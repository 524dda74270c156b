/** Queries on the texts of messages. Screening uses them to find one text that is sent under many addresses. */
import type { Kysely } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** The digest of a message's text (`textDigest`), and the key of the person who sent it. */
export type MessageText = { digest: string; sender: string }

/** How many different addresses have sent each text since `since`, by digest, including those in `texts`. */
export async function countTextAddresses(
  db: Kysely<Schema>,
  texts: readonly MessageText[],
  since: number,
): Promise<Map<string, number>> {
  const seen = await db
    .selectFrom('message_texts')
    .select(['digest', 'email_key'])
    .where(
      'digest',
      'in',
      texts.map(text => text.digest),
    )
    .where('seen_at', '>', since)
    .limit(1000)
    .execute()
  const addresses = new Map<string, Set<string>>()
  for (const { digest, email_key } of [
    ...seen,
    ...texts.map(text => ({ digest: text.digest, email_key: text.sender })),
  ]) {
    addresses.set(digest, (addresses.get(digest) ?? new Set()).add(email_key))
  }
  return new Map([...addresses].map(([digest, keys]) => [digest, keys.size]))
}

/** Records that addresses have sent texts; each address occurs once. */
export async function saveTexts(
  db: Kysely<Schema>,
  texts: readonly (MessageText & { seenAt: number })[],
): Promise<void> {
  if (texts.length === 0) return
  await db
    .insertInto('message_texts')
    .values(texts.map(({ digest, sender, seenAt }) => ({ digest, email_key: sender, seen_at: seenAt })))
    .onConflict(oc => oc.columns(['digest', 'email_key']).doUpdateSet(eb => ({ seen_at: eb.ref('excluded.seen_at') })))
    .execute()
}

/** Deletes the texts that were seen at that moment or earlier. */
export async function forgetTexts(db: Kysely<Schema>, until: number): Promise<void> {
  await db.deleteFrom('message_texts').where('seen_at', '<=', until).execute()
}
