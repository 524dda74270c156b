/** Tells whether a setting that may be a URL or a path is a URL. */
export const isUrl = (urlOrPath: string): boolean => /^https?:\/\//i.test(urlOrPath)
