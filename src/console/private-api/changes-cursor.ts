/** The cursor of changed leads, in the form that clients keep. */
import type { ChangesCursor, Gap } from '../../store/lookup/changed-leads.ts'

export const cursorText = ({ after, gaps }: ChangesCursor): string =>
  [after, ...gaps.map(gap => gap.join('-'))].join('.')

/** Undefined for a text that is not a cursor. */
export function readCursor(text: string): ChangesCursor | undefined {
  if (!/^\d{1,15}(?:\.\d{1,15}-\d{1,15}-\d{1,15}){0,30}$/.test(text)) return undefined
  const [after = '', ...gaps] = text.split('.')
  return { after: Number(after), gaps: gaps.map(gap => gap.split('-').map(Number) as unknown as Gap) }
}
