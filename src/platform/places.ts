/**
 * Where our own files are. They are in the same places in a clone and in the result of `npm run build`, except that the
 * build bundles the code into a few files.
 */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds everything of ours, such as `content/`: a URL with a slash at its end. */
export const home: URL = folderWith('package.json')

function folderWith(name: string): URL {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder))
    if (existsSync(new URL(name, folder))) return folder
}

/** The path of one of our files or folders, by its path in `home`. */
export const ourPath = (name: string): string => fileURLToPath(new URL(name, home))

/** The code of a thread, by its path in `src` without an extension. `deploy/build.ts` lists these. */
export const threadCode = (name: string): URL => new URL(`src/${name}${extname(import.meta.url)}`, home)
