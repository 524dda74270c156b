/** Someone leaves: no email goes out in their name anymore. Those that wait for their time become drafts. */
import { actedOn, andTell, type By, type Services } from './services.ts'

/** More emails than anyone has scheduled. */
const MOST = 10_000

/**
 * `actor`: whose emails, as the timeline names them. `operatorId`: who wrote them and has the drafts, which everyone who
 * works on the lead can use; undefined if the person has no account. What is being sent already is sent.
 */
export async function withdrawEmails(
  services: Pick<Services, 'store' | 'clock' | 'changed'>,
  { actor, operatorId }: { actor: string; operatorId: number | undefined },
  by: By,
): Promise<void> {
  const { store } = services
  const context = actedOn(services, by, { action: 'undid a change of' })
  for (const { entry } of await store.listScheduledMessages({ actor, operatorId, limit: MOST }))
    await andTell(services, store.withdrawMessage(entry, { operatorId, ...context }))
}
