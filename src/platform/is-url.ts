/** Tells whether a setting that may be a URL or a path is a URL. */
export const isUrl = (urlOrPath: string): boolean => /^https?:\/\//i.test(urlOrPath)

/**
 * Tells whether browsers can read the URL, and its host is an address or a name of letters, digits, hyphens,
 * underscores and dots. Browsers allow other characters, too: a semicolon would begin a directive of its own where a
 * policy (CSP) names the host.
 */
export const hasPlainHost = (url: string): boolean => URL.canParse(url) && /^[\w.:[\]-]+$/.test(new URL(url).host)
