/** The tags and programs of a lead on its page: shown, added and removed. */
import { html } from 'hono/html'
import { addProgram, addTag, removeLabel } from '../../lead-actions/tags-and-programs.ts'
import { type Label, type LabelKind, LONGEST_TAG, readTag } from '../../leads/lead/labels.ts'
import { programNames } from '../../leads/lead/programs.ts'
import { numberOf, suggestions } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { type LeadButton, say } from './lead-button.ts'
import type { LeadOnPage } from './view.ts'

export const labelButtons: Record<string, LeadButton> = {
  tag: async ({ deps, lead, fields, by }) => {
    const tag = readTag(fields['tag'] ?? '')
    if ('problem' in tag) return tag
    const { name } = tag
    return say(await addTag(deps, lead, { tag: name }, by), {
      text: `Tagged “${name}”.`,
      before: `This lead already has the tag “${name}”.`,
    })
  },
  'add program': async ({ deps, lead, fields, by }) => {
    const program = fields['program'] ?? ''
    return say(await addProgram(deps, lead, { program }, by), {
      text: `Recorded: interested in ${program}.`,
      before: `This lead already has the program ${program}.`,
    })
  },
  'remove label': async ({ deps, lead, fields, by }) =>
    say(await removeLabel(deps, lead, { label: numberOf(fields['label']) ?? 0 }, by), {
      text: `Removed “${fields['name'] ?? ''}”.`,
    }),
}

export function leadLabels({ found, work, deps }: LeadOnPage): Html {
  const { lead, labels, tags } = found
  const of = (kind: LabelKind) => labels.filter(label => label.kind === kind)
  const programs = programNames(deps.settings).filter(name => !of('program').some(label => label.name === name))
  const form = (content: Html, look: string) =>
    html`<form method="post" action="/leads/${lead.id}" class="${look}">${content}</form>`
  const chip = ({ id, name }: Label) =>
    html`<li class="tag label" dir="auto">${name}${
      work
        ? form(
            html`${hidden({ label: id, name })}<button class="plain small" name="do" value="remove label" aria-label="Remove ${name}">×</button>`,
            '',
          )
        : ''
    }</li>`
  const listOf = (kind: LabelKind) => (of(kind).length === 0 ? '' : html`<ul class="labels">${of(kind).map(chip)}</ul>`)
  if (!work && labels.length === 0) return html``
  const title = programs.length > 0 || of('program').length > 0 ? 'Tags and programs' : 'Tags'
  return html`<section class="panel lead-labels" data-part="labels" aria-labelledby="tags-title"><h2 id="tags-title">${title}</h2>
${listOf('tag')}${
  work
    ? form(
        html`<label for="tag" class="hidden">Tag</label><input id="tag" name="tag" list="known-tags" maxlength="${LONGEST_TAG}" required autocomplete="off" placeholder="Add a tag"><button class="secondary" name="do" value="tag" aria-label="Add the tag">Add</button>
${suggestions(
  'known-tags',
  tags.map(({ name }) => name),
)}`,
        'inline compact',
      )
    : ''
}
${listOf('program')}${
  work && programs.length > 0
    ? form(
        html`<label for="program" class="hidden">Program</label><select id="program" name="program" required><option value="">Interested in …</option>${programs.map(name => html`<option>${name}</option>`)}</select><button class="secondary" name="do" value="add program" aria-label="Add the program">Add</button>`,
        'inline compact',
      )
    : ''
}
</section>`
}
