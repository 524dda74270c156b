/** The table of alarms, as the queries see it. */
import type { Generated, GeneratedAlways } from 'kysely'

export type AlarmTables = { alarms: AlarmsTable }

/** What admins are told by email when it begins and when it is over. Each cause has at most one that is not over. */
type AlarmsTable = {
  id: GeneratedAlways<number>
  /** What it is about, in a word that stays the same, such as `filing`. */
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
