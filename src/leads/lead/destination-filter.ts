/** Which leads a destination gets. */
import type { Kind } from '../body/submission.ts'
import { labelKey } from './labels.ts'

/** If all lists are empty and there is no kind, all leads. */
export type DestinationFilter = {
  kind: Kind | null
  stages: string[]
  /** The codes of states. */
  states: string[]
  /** Programs by name, since a program that no lead has named has no label yet. */
  programs: string[]
  /** Tags by the id of their label, since a tag can be renamed. */
  tags: number[]
}

/** The facts about a lead that decide whether a destination gets it. Programs are given by their keys (`labelKey`). */
export type FilteredLead = {
  kind: Kind
  stage: string
  state: string | null
  programs: ReadonlySet<string>
  tags: ReadonlySet<number>
}

/** Whether a lead has the kind and, for each list that is not empty, one of its values. */
export const passes = (filter: DestinationFilter, { kind, stage, state, programs, tags }: FilteredLead): boolean =>
  (filter.kind === null || filter.kind === kind) &&
  (filter.stages.length === 0 || filter.stages.includes(stage)) &&
  (filter.states.length === 0 || (state !== null && filter.states.includes(state))) &&
  (filter.programs.length === 0 || filter.programs.some(name => programs.has(labelKey(name)))) &&
  (filter.tags.length === 0 || filter.tags.some(id => tags.has(id)))
