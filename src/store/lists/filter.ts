/** The filters and orders that a list of the console can ask for. */
import type { Kind } from '../../leads/body/submission.ts'
import type { FactFilter, WordSearch } from '../../leads/words/search-words.ts'

export type InboxFilter = FactFilter & {
  kind?: Kind | undefined
  /** A stage, `open` for all stages but `closed`, or `reached` for all stages but `new` and `closed`. */
  stage?: string | undefined
  /** The id of the counselor; null is the team. */
  owner?: string | null | undefined
  /** Only leads of the team and of this counselor; null: only leads of the team. */
  visibleTo?: string | null | undefined
  /** Only leads that no one has reached, even while their follow-up is paused. */
  waiting?: boolean | undefined
  /** Only leads that no one has tried to reach, even while their follow-up is paused. */
  untried?: boolean | undefined
  /** Only leads whose people wrote back and wait for an answer, even closed ones; the longest wait first. */
  unanswered?: boolean | undefined
  /** True: only imported people that no one has done anything about since. False: everyone else. Default: both. */
  imported?: boolean | undefined
  /** Only leads that count in the figures: not those that were closed as spam, for example. */
  counted?: boolean | undefined
  /** Created at or after `since` and before `until`, in Unix milliseconds. */
  since?: number | undefined
  until?: number | undefined
  words?: WordSearch | undefined
}

/**
 * The last lead of a page. The next page begins after it, even if that lead is gone by then. `part`: the part of a
 * search that contains the lead, from 0.
 */
export type Position = { at: number; id: number; part?: number }

/**
 * `longest`: those who wait, the longest wait first, then those who were reached, the newest first. `active`: by what
 * happened last. `hottest`: by their answers. `active` and `hottest` are for lists of open leads; others stay with
 * `newest`, and so does a search.
 */
export const orders = ['newest', 'oldest', 'longest', 'active', 'hottest'] as const

export type Order = (typeof orders)[number]

export type Page = { after?: Position | undefined; order?: Order; limit: number }
