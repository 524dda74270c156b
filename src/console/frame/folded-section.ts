/** A section of a page that few people need: it is folded until something in it matters. */
import { html, raw } from 'hono/html'
import type { Html } from './layout.ts'

/** The beginning of a document. */
export const TOP = 'top'

type Options = {
  /** Whether something in it is filled in, found or wrong. */
  open: boolean
  /** What holds, or what can be set there, as long as it is folded. */
  folded: string
  /** What the preview shows meanwhile. */
  shows?: string
}

export const foldedSection = (title: string, { open, folded, shows }: Options, content: Html): Html =>
  html`<section class="panel folded-section"${shows === undefined ? '' : html` data-shows="${shows}"`}><details${open ? raw(' open') : ''}><summary><h2>${title}</h2> <span class="quiet small">${folded}</span></summary>
${content}</details></section>`
