/** Tells whether a text is a color such as `#0a6070`. */
export const isColor = (text: string): text is `#${string}` => /^#[0-9a-f]{6}$/i.test(text)
