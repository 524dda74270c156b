/** Tells whether a setting that may be a URL or a path is a URL. */
export const isUrl = (urlOrPath: string): boolean => /^https?:\/\//i.test(urlOrPath)

/**
 * Tells whether browsers can read the URL, and its host is an address or a name of letters, digits, hyphens,
 * underscores and dots. Browsers also allow other characters, but in a policy (CSP) that names the host, a semicolon
 * would begin a new directive.
 */
export const hasPlainHost = (url: string): boolean => URL.canParse(url) && /^[\w.:[\]-]+$/.test(new URL(url).host)
