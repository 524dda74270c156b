/** How two versions of the cadence differ and what a version says, for the pages of its versions. */
import { html } from 'hono/html'
import { differences } from '../../follow-up/cadence-words.ts'
import { kinds } from '../../leads/body/submission.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import type { EditedPage } from '../versions/edited-page.ts'
import { messageInWords, stepsInShort } from './step-timeline.ts'

export const editedCadence: EditedPage<'cadence'> = {
  part: 'cadence',
  path: '/cadence',
  action: 'edit cadence',
  differences: (before, after, deps) =>
    kinds.flatMap(kind =>
      differences(before[kind], after[kind], messageInWords(deps, kind)).map(text => `${kindTitles[kind]}: ${text}`),
    ),
  show: (value, deps) =>
    html`${kinds.map(kind => html`<section class="panel"><h2>${kindTitles[kind]}</h2>${stepsInShort(value[kind], messageInWords(deps, kind))}</section>`)}`,
  editFrom: id =>
    html`${kinds.map(
      kind =>
        html`<a class="button secondary" href="/cadence/edit?kind=${kind}&amp;version=${id}">Edit from here: ${kindTitles[kind].toLowerCase()}</a>`,
    )}`,
}
