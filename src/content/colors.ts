/** Color arithmetic: contrast by WCAG 2.2, and lighter and darker shades in OKLCH, which keep their hue. */

export type Hex = `#${string}`

/** The contrast of two colors, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: Hex, other: Hex): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

export const leastContrast = (color: Hex, others: readonly Hex[]): number =>
  Math.min(...others.map(other => contrast(color, other)))

/** Lightness as people perceive it, from 0 (black) to 1 (white). */
export const lightnessOf = (color: Hex): number => toOklch(color).l

/** The same hue at another lightness, as vivid as the color itself, or as vivid as a screen can show it. */
export function withLightness(color: Hex, lightness: number): Hex {
  const { c, h } = toOklch(color)
  const l = Math.min(1, Math.max(0, lightness))
  let chroma = c
  while (chroma > 0.001 && !isShown(toLinear({ l, c: chroma, h }))) chroma -= 0.002
  return toHex(toLinear({ l, c: Math.max(0, chroma), h }))
}

type Triple = [number, number, number]
type Oklch = { l: number; c: number; h: number }

function luminance(color: Hex): number {
  const [red, green, blue] = linearOf(color)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The linear parts of an sRGB color, each from 0 to 1 (IEC 61966-2-1). */
const linearOf = (color: Hex): Triple =>
  [1, 3, 5].map(start => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as Triple

const toHex = (linear: Triple): Hex =>
  `#${linear
    .map(value => {
      const part = Math.min(1, Math.max(0, value))
      const encoded = part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055
      return Math.round(encoded * 255)
        .toString(16)
        .padStart(2, '0')
    })
    .join('')}`

const isShown = (linear: Triple): boolean => linear.every(part => part >= -0.0005 && part <= 1.0005)

/** The matrices are those of CSS Color 4, section 10.2 (Björn Ottosson, "A perceptual color space"). */
function toOklch(color: Hex): Oklch {
  const [r, g, b] = linearOf(color)
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const yellow = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  return {
    l: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    c: Math.hypot(a, yellow),
    h: Math.atan2(yellow, a),
  }
}

function toLinear({ l, c, h }: Oklch): Triple {
  const [a, b] = [c * Math.cos(h), c * Math.sin(h)]
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
}
