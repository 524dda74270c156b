/** A document that follows the screen, as it looks on one that is set to light or dark. */

export type Mode = 'light' | 'dark'

export const inMode = (html: string, mode: Mode): string =>
  html
    .replaceAll('(prefers-color-scheme: dark)', mode === 'dark' ? '(min-width: 0)' : '(max-width: 0)')
    .replaceAll('color-scheme: light dark', `color-scheme: ${mode}`)
    .replaceAll('content="light dark"', `content="${mode}"`)

/** The mode that a field or a URL names. */
export const modeOf = (text: string | undefined): Mode | undefined =>
  text === 'light' || text === 'dark' ? text : undefined
