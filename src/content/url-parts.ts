/** The parts of a URL after which it may wrap, so that none of its words is broken. */
export const urlParts = (url: string): string[] => url.split(/(?<=[/?&=-])(?!\/)/)
