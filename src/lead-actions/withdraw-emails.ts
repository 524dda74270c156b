/** Someone leaves the staff: no more emails go out in their name. Their scheduled emails become drafts. */
import { actedOn, andTell, type By, type Services } from './services.ts'

/** More emails than anyone has scheduled. */
const MOST = 10_000

/**
 * `actor`: the person whose emails these are, as the timeline names them. `operatorId`: that person's account, which
 * gets the drafts; undefined if they do not have one. Everyone who works on the lead can use the drafts. Emails that
 * are already being sent are not withdrawn.
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
