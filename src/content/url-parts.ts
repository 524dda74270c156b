/** The parts of a URL after which it may go on in the next line, so that no word of it is broken. */
export const urlParts = (url: string): string[] => url.split(/(?<=[/?&=-])(?!\/)/)
