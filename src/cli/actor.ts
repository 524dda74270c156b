/** The option `--by`: the name under which the timeline records who acted. */
import { Option } from 'commander'
import type { Settings } from '../config/settings.ts'
import { COMMAND_LINE, MANAGER } from '../leads/staff.ts'
import { isBlank, textProblem, tidy } from '../leads/text.ts'
import { CommandFailed } from './terminal.ts'

/** Who acts, for the timeline: the id of a counselor, `manager`, or a name. */
export const byOption = () =>
  new Option('--by <who>', 'who does this, for the timeline: a counselor by id, or any name')

export type By = { by?: string }

/** The counselor or manager with that id or name; otherwise the name as it was given. */
export function actorNamed(by: string | undefined, { admissions }: Settings): string {
  if (by === undefined) return COMMAND_LINE
  const name = tidy(by)
  const problem = isBlank(name) ? 'must not be empty' : textProblem(name, 'one')
  if (problem !== undefined) throw new CommandFailed(`The name after --by ${problem}.`)
  if (admissions.manager?.name === name) return MANAGER
  return admissions.counselors.find(one => one.name === name)?.id ?? name
}
