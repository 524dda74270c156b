/** The cursor of changed leads, in the form that clients keep. */
import type { ChangesCursor, Gap } from '../../store/lookup/changed-leads.ts'

export const cursorText = ({ after, gaps }: ChangesCursor): string =>
  [after, ...gaps.map(gap => gap.join('-'))].join('.')

/** Reads a cursor; undefined if the text is not one. */
export function readCursor(text: string): ChangesCursor | undefined {
  if (!/^\d{1,15}(?:\.\d{1,15}-\d{1,15}-\d{1,15}){0,30}$/.test(text)) return undefined
  const [after = '', ...gaps] = text.split('.')
  return { after: Number(after), gaps: gaps.map(gap => gap.split('-').map(Number) as unknown as Gap) }
}
