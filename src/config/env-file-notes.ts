/** Notes about the names in `.env`: a mistyped one would leave its variable at the default, without a word. */
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { resembles } from '../leads/body/tidy-text.ts'
import { secretNames, variables } from './environment.ts'

/** One sentence for each name in the `.env` of the working folder that is not a variable, or has no value. */
export function envFileNotes(): string[] {
  const text = existsSync('.env') ? readFileSync('.env', 'utf8') : ''
  const names = Object.keys(variables)
  const known = new Set([...names, ...secretNames.map(name => `${name}_FILE`)])
  const unknown = Object.keys(parseEnv(text)).filter(name => !known.has(name))
  return [
    ...unknown.map(name => {
      const meant = names.find(one => resembles(name, one))
      return `.env sets ${name}, which is not a variable of Frontdesk${meant === undefined ? '' : ` (did you mean ${meant}?)`}.`
    }),
    // Node.js skips such a line.
    ...names
      .filter(name => new RegExp(`^\\s*${name}\\s*$`, 'm').test(text))
      .map(name => `.env names ${name} without a value: write ${name}=… or remove the line.`),
  ]
}
