/** Writes text into HTML, between tags or in double quotes, so that it shows as it is. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, character => ENTITIES[character] ?? character)

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
