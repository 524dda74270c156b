/** Labels of leads: tags, which the staff create, and the school's programs. */
import { isBlank, textProblem, tidy } from '../body/tidy-text.ts'

export type LabelKind = 'tag' | 'program'

export type Label = { id: number; kind: LabelKind; name: string }

/** The longest tag, in characters. */
export const LONGEST_TAG = 40

/** Reads a tag that someone typed, or says in a sentence why the text cannot be a tag. */
export function readTag(text: string): { name: string } | { problem: string } {
  const name = tidy(text).replace(/^#/, '')
  if (isBlank(name)) return { problem: 'Type a tag, a word or two.' }
  const problem = textProblem(name, 'one')
  if (problem !== undefined) return { problem: `The tag ${problem}.` }
  if (name.length > LONGEST_TAG)
    return { problem: `A tag has at most ${LONGEST_TAG} characters; write a note for more.` }
  return { name }
}

/** Two names with the same key are the same label: capitals, accents and spaces do not matter. */
export const labelKey = (name: string): string =>
  name.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase().replace(/\s+/g, ' ').trim()

/** What an entry of a timeline says about a label, such as `program: Welding`. */
export const labelDetail = ({ kind, name }: Pick<Label, 'kind' | 'name'>): string => `${kind}: ${name}`

/** The detail of an entry about a label, in words; `given` is false if the label was removed. */
export function labelInWords(detail: string, given: boolean): string {
  const [, kind, name = ''] = /^(tag|program): (.*)$/s.exec(detail) ?? []
  if (kind === 'program') return given ? `interested in ${name}` : `no longer interested in ${name}`
  return given ? `tagged “${name}”` : `tag “${name}” removed`
}

export const labelNames = (labels: readonly Label[], kind: LabelKind): string[] =>
  labels.flatMap(label => (label.kind === kind ? label.name : []))
