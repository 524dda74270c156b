/** The form of the cadence editor, as a browser sends it. */
import { rowsOf } from '../../src/console/cadence/draft.ts'
import type { Step } from '../../src/follow-up/cadence.ts'

/** The fields of the editor with these steps, for a draft that replaces a version. */
export function cadenceFields(
  steps: readonly Step[],
  { replaces, kind = 'student', note = '' }: { replaces: number; kind?: string; note?: string },
): URLSearchParams {
  const fields = new URLSearchParams({ kind, replaces: String(replaces), people: '20', note })
  for (const row of rowsOf(steps)) for (const [name, value] of Object.entries(row)) fields.append(name, value)
  return fields
}

/** A reminder to the counselor. */
export const remindAfter = (after: Step['after']): Step => ({
  name: 'remind',
  after,
  clock: 'school',
  to: 'counselor',
  message: 'notifications/reminder.md',
})
