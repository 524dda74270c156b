/** Commands that we print, quoted so that a shell reads them correctly. */
import type { Command } from 'commander'

/** The command as it was given, without this option (`dryRun` for `--dry-run`). */
export function commandWithout(command: Command, left: string): string {
  const names: string[] = []
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name())
  const options = command.options.flatMap(option => {
    const name = option.attributeName()
    const given = name !== left && command.getOptionValueSource(name) === 'cli'
    const values: (string | true)[] = given ? [command.getOptionValue(name)].flat() : []
    return values.flatMap(value => [option.long ?? '', ...(value === true ? [] : [value])])
  })
  const isLikeOption = command.args.some(text => text.startsWith('-'))
  const words = isLikeOption ? [...options, '--', ...command.args] : [...command.args, ...options]
  return [...names, ...words.map(shellWord)].join(' ')
}

/** A text as one word: in double quotes if it needs any, which every shell knows, otherwise in single ones. */
export function shellWord(text: string): string {
  if (/^[\w%+,./:=@-]+$/.test(text)) return text
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`
}
