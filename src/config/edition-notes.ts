/** Notes about the parts of the settings that are edited in the console. */
import { capital } from '../leads/body/tidy-text.ts'
import type { Config } from './config.ts'
import { type EditedPart, editedParts, parts } from './edited-parts.ts'
import type { Edition } from './edited-settings.ts'

/** The part that has this setting, such as `admissions.counselors`; undefined if the console edits none that has it. */
export const partOf = (setting: string): EditedPart | undefined =>
  editedParts.find(part => parts[part].entries.some(entry => setting === entry || setting.startsWith(`${entry}.`)))

/** Who last edited a part, and on which day: `November 21, 2026 by Dana Kim`. */
export const lastEdit = ({ at, by }: Edition, { settings }: Pick<Config, 'settings'>): string => {
  const { country, timeZone } = settings.school
  const format = new Intl.DateTimeFormat(`en-${country}`, { dateStyle: 'long', timeZone })
  return `${format.format(at)} by ${by}`
}

/** For each edited part: when it was edited, by which operator, and what effect the settings file still has. */
export const editionNotes = (config: Config): string[] =>
  editedParts.flatMap(name => {
    const edition = config.edited[name]
    if (edition === undefined) return []
    const part = capital(parts[name].name)
    const entries = parts[name].entries.join(' and ')
    const edit = lastEdit(edition, config)
    const [first] = edition.problems
    if (!edition.fromFile) {
      return [
        `${part} is edited in the console (last on ${edit}). What the settings file says about ${entries} is not in force.`,
        ...edition.problems.map(problem => `${part}, as edited in the console: ${problem}.`),
      ]
    }
    if (first === undefined) return []
    return [
      `${part}, as edited in the console on ${edit}, cannot be used, so the settings file is in force: ${first}. Edit it again.`,
    ]
  })
