/** What the audit log says of an action on the page of a lead. */
import { labelKey, readTag } from '../../leads/lead/labels.ts'
import type { Store } from '../../store/store.ts'
import { numberOf } from '../frame/fields.ts'
import type { Fields } from './lead-action.ts'

/**
 * Names what was done to a lead, without a word that someone typed: a stage and a reason by their names, a tag or a
 * program by its number. Other actions go by the name that their button has.
 */
export async function auditDetailOf(store: Pick<Store, 'readLabels'>, leadId: number, fields: Fields): Promise<string> {
  const what = fields['do'] ?? ''
  if (what === 'stage') return `moved: ${fields['stage']}`
  if (what === 'close') return `closed: ${fields['reason']}`
  if (what === 'remove label') return `removed label ${numberOf(fields['label'])}`
  if (what !== 'tag' && what !== 'add program') return what
  const given = labelGiven(what, fields)
  const labels = (await store.readLabels([leadId])).get(leadId) ?? []
  const label = labels.find(one => one.kind === given.kind && labelKey(one.name) === given.key)
  return label === undefined ? what : `added label ${label.id}`
}

function labelGiven(what: 'tag' | 'add program', fields: Fields) {
  if (what === 'add program') return { kind: 'program', key: labelKey(fields['program'] ?? '') } as const
  const tag = readTag(fields['tag'] ?? '')
  return { kind: 'tag', key: 'name' in tag ? labelKey(tag.name) : '' } as const
}
