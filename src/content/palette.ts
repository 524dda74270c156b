/**
 * The colors of pages, emails and the icon: one palette for light and one for dark, computed from the
 * school's color. Text of any of them on its ground has a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
 */
import { contrast, type Hex, leastContrast, lightnessOf, withLightness } from './colors.ts'

/** The lowest contrast at which every reader can read text. */
export const READABLE = 4.5

/** The lowest contrast at which everyone can see a surface. */
const VISIBLE = 3

/** From this contrast on, making a color a shade darker is enough for white text on it. */
const NEARLY = 3.75

/** The colors of text and surfaces that no school changes. */
const neutral = {
  light: {
    paper: '#ffffff',
    ground: '#f3f5f7',
    ink: '#1d2530',
    quiet: '#56616f',
    line: '#dde3e8',
    edge: '#737f8c',
    wrong: '#a3261d',
  },
  dark: {
    paper: '#14181d',
    ground: '#1c2229',
    ink: '#e4e8ec',
    quiet: '#a3aeba',
    line: '#2e3742',
    edge: '#8391a0',
    wrong: '#ff9d92',
  },
  lightMore: {
    paper: '#ffffff',
    ground: '#f3f5f7',
    ink: '#000000',
    quiet: '#2c3540',
    line: '#737f8c',
    edge: '#3b4550',
    wrong: '#7c160f',
  },
  darkMore: {
    paper: '#000000',
    ground: '#11161b',
    ink: '#ffffff',
    quiet: '#d3dae1',
    line: '#8391a0',
    edge: '#b4bfca',
    wrong: '#ffc4bd',
  },
} as const

/** `accent`, `deep`: links, and those under the pointer; `fill`, `hover`: buttons, too; `label`: the text on both. */
export type Palette = Record<keyof (typeof neutral)['light'], Hex> &
  Record<'accent' | 'deep' | 'fill' | 'hover' | 'label', Hex>

/** The palettes for light and dark, and for readers who ask for more contrast. */
export type Palettes = Record<keyof typeof neutral, Palette>

/** How far apart a color and its shade under the pointer are, in lightness. */
const STEP = 0.07

/** Buttons and the mark keep the color (in the dark, if it stands out). Links get the nearest readable shade. */
export function palettesOf(color: Hex): Palettes {
  const hex = color.toLowerCase() as Hex
  const accent = darkUntilReadable(hex, neutral.light)
  const deep = shade(accent, -STEP)
  const fill = fillOf(hex)
  // Links in the dark are as light as the neutral text beside them, whatever the color is.
  const bright = withLightness(hex, Math.max(lightnessOf(hex), 0.8))
  const brighter = shade(bright, STEP)
  const brightest = shade(brighter, STEP)
  return {
    light: { ...neutral.light, accent, deep, ...fill },
    dark: { ...neutral.dark, accent: bright, deep: brighter, ...fillOf(standsOut(hex, neutral.dark) ? hex : bright) },
    lightMore: { ...neutral.lightMore, accent: deep, deep: shade(deep, -STEP), ...fill },
    darkMore: { ...neutral.darkMore, accent: brighter, deep: brightest, ...fillOf(brighter) },
  }
}

/** A sentence, if links cannot have the color itself because it is too light to read. */
export function movedShade(color: Hex): string | undefined {
  const { accent, fill, label } = palettesOf(color).light
  if (accent === color.toLowerCase()) return undefined
  const text = label === '#ffffff' ? 'white' : 'dark'
  const buttons = fill === color.toLowerCase() ? 'keep the color' : `use ${fill}`
  return `school.brand.color ${color} is too light for text on white: links use ${accent} instead, with a contrast of ${READABLE}:1; buttons ${buttons}, with ${text} text.`
}

const shade = (color: Hex, by: number): Hex => withLightness(color, lightnessOf(color) + by)

/** The color itself, or the lightest shade of it that can be read on paper and on the ground. */
function darkUntilReadable(color: Hex, on: { paper: Hex; ground: Hex }): Hex {
  return darkUntil(color, shade => leastContrast(shade, [on.paper, on.ground]) >= READABLE)
}

function darkUntil(color: Hex, isEnough: (shade: Hex) => boolean): Hex {
  let darker = color
  let lightness = lightnessOf(color)
  while (!isEnough(darker)) {
    lightness -= 0.005
    darker = withLightness(color, lightness)
  }
  return darker
}

/** Whether a surface of the color can be told from what is behind it (WCAG 2.2, 1.4.11). */
const standsOut = (color: Hex, on: { paper: Hex; ground: Hex }): boolean =>
  leastContrast(color, [on.paper, on.ground]) >= VISIBLE

/** A surface of the color. Text on it is white if the color, or a little darker, allows; otherwise nearly black. */
function fillOf(color: Hex) {
  const white = contrast('#ffffff', color)
  const fill =
    white < READABLE && white >= NEARLY ? darkUntil(color, shade => contrast('#ffffff', shade) >= READABLE) : color
  const label = (['#ffffff', '#0e1a1e', '#000000'] as const).find(text => contrast(text, fill) >= READABLE)
  // Under the pointer the surface moves away from its text, so that it stays readable.
  return { fill, label: label ?? '#000000', hover: shade(fill, label === '#ffffff' ? -STEP : STEP) } as const
}
