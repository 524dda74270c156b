/** The table of alarms, as the queries see it. */
import type { Generated, GeneratedAlways } from 'kysely'

export type AlarmTables = { alarms: AlarmsTable }

/** Problems that admins are emailed about, when one begins and when it is over. Each cause has at most one open. */
type AlarmsTable = {
  id: GeneratedAlways<number>
  /** The subject, as a word that never changes, such as `filing`. */
  cause: string
  title: string
  text: string
  /** The page of the console that shows more. */
  path: string
  /** When it began. */
  since: number
  raised_at: number
  /** When someone first noticed that the trouble was gone; null while it lasts. */
  fine_since: Generated<number | null>
  ended_at: Generated<number | null>
}
