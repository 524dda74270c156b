import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { contrast, type Hex } from '../../src/content/colors.ts'
import { movedShade, type Palette, palettesOf, READABLE } from '../../src/content/palette.ts'

const TEAL = '#0a6070'

/** Every text that a page or an email shows, with the grounds that it stands on. */
const pairs: [keyof Palette, (keyof Palette)[]][] = [
  ['ink', ['paper', 'ground']],
  ['quiet', ['paper', 'ground']],
  ['wrong', ['paper', 'ground']],
  ['accent', ['paper', 'ground']],
  ['deep', ['paper', 'ground']],
  ['label', ['fill', 'hover']],
]

describe('the colors of a school', () => {
  test('leave every text with a contrast of at least 4.5, whatever the color is', () => {
    const part = fc.integer({ min: 0, max: 255 })
    const anyColor = fc.tuple(part, part, part).map(parts => hexOf(...parts))
    fc.assert(
      fc.property(anyColor, color => {
        for (const [mode, palette] of Object.entries(palettesOf(color))) {
          for (const [text, grounds] of pairs) {
            for (const ground of grounds) {
              const found = contrast(palette[text], palette[ground])
              ok(found >= READABLE, `${text} on ${ground} in ${mode}: ${found}`)
            }
          }
        }
      }),
      { numRuns: 500, examples: [['#ffffff'], ['#000000'], ['#ffff00'], ['#0000ff'], ['#767676']] },
    )
  })

  test('are the color itself on buttons, and for links as long as those can be read', () => {
    const { light } = palettesOf(TEAL)
    deepEqual([light.fill, light.accent, light.label], [TEAL, TEAL, '#ffffff'])
    equal(movedShade(TEAL), undefined)
    equal(palettesOf('#FFD400').light.fill, '#ffd400')
  })

  test('carry white text where a shade darker is enough, and stay themselves in the dark where they stand out', () => {
    const { light, dark } = palettesOf('#d9480f')
    deepEqual([light.label, dark.label, dark.fill], ['#ffffff', '#ffffff', light.fill])
    ok(contrast(light.fill, '#d9480f') < 1.1)
    ok(contrast(palettesOf('#0a2540').dark.fill, '#14181d') > 3)
  })

  test('are mended where they are too light, and a sentence says so', () => {
    match(movedShade('#ffd400') ?? '', /#ffd400 is too light .* links use #\w{6} instead, .* dark text/)
  })
})

test('contrast is that of WCAG 2.2', () => {
  equal(contrast('#000000', '#ffffff'), 21)
  equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
  equal(contrast('#ffffff', '#777777').toFixed(2), '4.48')
})

const hexOf = (...parts: number[]): Hex => `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`
