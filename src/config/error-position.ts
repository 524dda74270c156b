/** Where in a settings file Node.js found an error. */
import { basename } from 'node:path'

/** `line 4, column 5: `, from the trace of an error that loading `file` has thrown; empty if it names no line. */
export function positionIn(file: string, error: unknown): string {
  const trace = error instanceof Error ? (error.stack ?? '') : ''
  const [, line, column] =
    new RegExp(`${RegExp.escape(basename(file))}(?:\\?[^:\\s]*)?:(\\d+)(?::(\\d+))?`).exec(trace) ?? []
  if (line === undefined) return ''
  // A syntax error names the line only, and points at the place with a caret below it.
  const [, indent] = /^( *)\^/m.exec(trace) ?? []
  const at = column ?? (indent === undefined ? undefined : indent.length + 1)
  return at === undefined ? `line ${line}: ` : `line ${line}, column ${at}: `
}
