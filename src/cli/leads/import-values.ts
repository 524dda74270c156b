/** What the words of a list mean, according to the option `--value`; and which words could not be read. */
import type { Settings } from '../../config/settings.ts'
import { listValues } from '../../lead-actions/list-values.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import type { Columns } from '../../leads/import/list-columns.ts'
import {
  choiceOf,
  choicesFor,
  isAsked,
  type ListValues,
  type Meanings,
  nearestChoice,
  wordsKey,
} from '../../leads/import/list-values.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { Store } from '../../store/store.ts'
import { print } from '../terminal/output.ts'
import { shellWord } from '../terminal/shell-words.ts'
import { CommandFailed } from '../terminal/terminal.ts'

type List = Pick<Import, 'headers'> & { columns: Columns; kind: Kind; known: ListValues }

/** Reads the options `--value`. Throws CommandFailed. */
export function meaningsOf(texts: readonly string[], { headers, columns, kind, known }: List): Meanings {
  const meanings: Meanings = {}
  for (const text of texts) {
    const [, header = '', words = '', meaning = ''] = /^([^:]*):(.*)=(.*)$/s.exec(text) ?? []
    const field = columns[headers.indexOf(header.trim())] ?? ''
    if (!isAsked(field)) {
      throw new CommandFailed(
        `--value "${text}" does not name a column of states, programs, stages, counselors or answers to choose: write --value "COLUMN:WORDS=MEANING", such as --value "State:Tex.=TX".`,
      )
    }
    const value = choiceOf(field, meaning.trim(), kind, known)
    if (value === undefined && meaning.trim() !== '') {
      const choices = choicesFor(field, kind, known).map(one => one.value)
      throw new CommandFailed(`"${meaning}" cannot be the meaning of ${field}; use one of: ${choices.join(', ')}`)
    }
    meanings[field] = { ...meanings[field], [wordsKey(words)]: value ?? '' }
  }
  return meanings
}

/** Prints the values that people are imported without, and the option that explains them. */
export async function printUnread(store: Store, { id, plan }: Import, settings: Settings): Promise<void> {
  const values = await store.listUnreadValues(id)
  if (values.length === 0) return
  const known = listValues(settings)
  print('Values that cannot be read, which stay in the notes on the people:')
  for (const { column, field = '', value = '', rows, reason } of values) {
    const nearest = isAsked(field) ? nearestChoice(value, choicesFor(field, plan?.kind ?? 'student', known)) : undefined
    const hint = nearest ? ` Is it ${nearest.words}? --value ${shellWord(`${column}:${value}=${nearest.value}`)}` : ''
    print(`  ${column} "${value}" (${counted(rows, 'row')}): ${reason}${hint}`)
  }
}
