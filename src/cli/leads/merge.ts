/** `frontdesk leads merge` and `unmerge`: combines two leads of the same person, and separates them again. */
import type { Command } from 'commander'
import type { Settings } from '../../config/settings.ts'
import { followUpsOfMerge, merge as mergeLeads } from '../../lead-actions/merge.ts'
import { unmerge as unmergeLeads } from '../../lead-actions/unmerge.ts'
import { emailKey } from '../../leads/body/email.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { mergeObstacle } from '../../leads/lead/merging.ts'
import {
  emailsAfterMerge,
  mergeObstacles,
  ownersAfterMerge,
  unmergeObstacle,
} from '../../leads/words/merge-sentences.ts'
import type { Store } from '../../store/store.ts'
import { actorNamed, type By, byOption } from '../terminal/actor.ts'
import { print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { findLead, leadDoesNotExist, leadServices, withStore } from '../terminal/with-store.ts'
import { findLeadId } from './find.ts'

export function addLeadMerge(command: Command): void {
  command
    .command('merge <lead> <other>')
    .description('merge the other lead of the same person into the first, which is kept')
    .option('--dry-run', 'only say what would happen')
    .addOption(byOption())
    .action(merge)
  command
    .command('unmerge <other>')
    .description('separate a lead, by its id or email address, from the one into which it was merged')
    .addOption(byOption())
    .action(unmerge)
}

async function merge(keep: string, text: string, { dryRun, by }: { dryRun?: true } & By): Promise<void> {
  await withStore(async (store, { config }) => {
    const { settings } = config
    const actor = actorNamed(by, settings)
    const [kept, other] = await readBoth(store, settings, keep, text)
    const effect = [
      `${titleOf(kept)} is kept. ${titleOf(other)} becomes part of it.`,
      emailsAfterMerge(kept, other, await followUpsOfMerge(store, kept, other)),
      ownersAfterMerge(kept, other, settings.admissions),
    ]
    if (dryRun) {
      const command = `npx frontdesk leads merge ${kept.id} ${other.id}`
      return print([...effect, `Nothing has been merged yet. To merge them: ${command}`].join('\n'))
    }
    const result = await mergeLeads(await leadServices(store, config), kept, { other }, { actor })
    if (result.outcome === 'refused') throw new CommandFailed(mergeObstacles[result.why])
    if (result.outcome !== 'done')
      throw new CommandFailed('Someone else changed one of these leads just now. Try again.')
    print(
      [
        ...effect,
        `Merged. To separate them again: npx frontdesk leads unmerge ${other.id}, or press Unmerge in the timeline of lead ${kept.id}.`,
      ].join('\n'),
    )
  })
}

/** Reads both leads. Throws CommandFailed if they cannot be merged. */
async function readBoth(
  store: Store,
  settings: Settings,
  keep: string,
  text: string,
): Promise<[kept: Lead, other: Lead]> {
  const kept = await findLead(store, await findLeadId(store, keep, settings))
  const other = await findLead(store, await findLeadId(store, text, settings))
  if (kept.id === other.id)
    throw new CommandFailed(
      keep === text
        ? `Name two leads: the one to keep, and the other of the same person. Both are ${keep}.`
        : `${keep} and ${text} are one lead already: lead ${kept.id}.`,
    )
  const why = mergeObstacle(kept, other)
  if (why === undefined) return [kept, other]
  const instead = why === 'closed' ? `\nnpx frontdesk leads merge ${other.id} ${kept.id}` : ''
  throw new CommandFailed(`${mergeObstacles[why]}${instead}`)
}

const titleOf = (lead: Lead): string => `Lead ${lead.id} (${fullName(lead)}, ${lead.email})`

async function unmerge(text: string, { by }: By): Promise<void> {
  await withStore(async (store, { config }) => {
    const { settings } = config
    const id = await findMergedId(store, text, settings)
    const lead = await findLead(store, id)
    const services = await leadServices(store, config)
    const result = await unmergeLeads(services, lead, { other: id }, { actor: actorNamed(by, settings) })
    if (result.outcome === 'gone') throw leadDoesNotExist(id)
    if (result.outcome === 'refused') throw new CommandFailed(unmergeObstacle(result.why, result.by))
    if (result.outcome === 'before') return print(await notMerged(store, id))
    print(`Lead ${id} is a lead of its own again, with its history and its follow-up.`)
  })
}

/** The merged lead that the operator means. An address finds the kept lead, which knows what was merged into it. */
async function findMergedId(store: Store, text: string, settings: Settings): Promise<number> {
  const id = await findLeadId(store, text, settings)
  const key = emailKey(text)
  const merged = (await store.readMergedLeads(id)).filter(
    ({ lead }) => lead.email !== null && emailKey(lead.email) === key,
  )
  return merged.at(-1)?.lead.id ?? id
}

async function notMerged(store: Store, id: number): Promise<string> {
  const merged = (await store.readMergedLeads(id)).map(({ lead }) => titleOf(lead))
  if (merged.length === 0) return `Lead ${id} is not merged into another.`
  return `Lead ${id} is the one that was kept. Merged into it, and to be named instead: ${merged.join('; ')}.`
}
