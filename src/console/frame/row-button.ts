/** A button that only changes the rows of an editor, such as one that adds a row. The script does this in place. */
import { html } from 'hono/html'
import type { Html } from './layout.ts'

type RowButton = {
  /**
   * The value of the field `do`. If the part before its colon ends with `up`, the same button of the moved row gets the
   * focus next.
   */
  press: string
  /** The id of the row where the person continues. Without the script, the page opens there. */
  at: string
  /** What a screen reader says after the change. */
  says: string
  /** Default: secondary. */
  look?: 'plain' | 'secondary'
}

export const rowButton = ({ press, at, says, look = 'secondary' }: RowButton, words: Html | string): Html =>
  html`<button class="${look} small" name="do" value="${press}" formaction="#${at}" data-says="${says}">${words}</button>`

/** The number of the row after one of `count` was removed; undefined if none is left. */
export const rowAfter = (removed: number, count: number): number | undefined =>
  count < 2 ? undefined : Math.min(removed, count - 2)
