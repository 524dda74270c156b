/** Where content is read from. */
import { fileURLToPath } from 'node:url'

/** Where templates are looked for: the operator's folder first, then our own. */
export const contentDirs = (own: string | undefined): string[] => [
  ...(own === undefined ? [] : [own]),
  fileURLToPath(new URL('../../content/', import.meta.url)),
]
