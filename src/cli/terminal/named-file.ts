/** Reading a file that someone named on the command line. */
import { readFile } from 'node:fs/promises'
import { CommandFailed } from './terminal.ts'

/** The bytes of a file. Throws CommandFailed with a sentence that names the file once. */
export const readNamed = (file: string): Promise<Buffer> =>
  readFile(file).catch(error => {
    throw unreadable(file, error)
  })

/** Why a file cannot be read, in place of the words of the system. */
export function unreadable(file: string, { code, message }: NodeJS.ErrnoException): CommandFailed {
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new CommandFailed(`The file ${file} does not exist. Check its name and its folder.`)
  if (code === 'EISDIR') return new CommandFailed(`${file} is a folder. Name a file in it.`)
  if (code === 'EACCES' || code === 'EPERM')
    return new CommandFailed(
      `${file} cannot be read: the user who runs this command lacks the permission. Change its permissions, or copy it.`,
    )
  return new CommandFailed(`${file} cannot be read: ${code ?? message}.`)
}
