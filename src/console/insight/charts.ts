/**
 * Charts as SVG. Horizontal positions are percentages of the width, so a chart fits every width and its text keeps its
 * size. Beside each chart is a table with the same numbers, so programs that read aloud skip the chart.
 */
import { html } from 'hono/html'
import { inDigits } from '../../leads/body/tidy-text.ts'
import type { Html } from '../frame/layout.ts'

/** The height of charts, in pixels. */
const HEIGHT = 160
const BELOW = 22

export type Column = {
  label: string
  /** The height of each part, from the bottom, in the order of their classes. */
  parts: readonly number[]
}

/** Columns side by side, each of stacked parts. Only some labels are shown, so that they do not touch. */
export function columnChart(columns: readonly Column[]): Html {
  const highest = Math.max(...columns.map(({ parts }) => sum(parts)), 1)
  const { top, step } = scaleFor(highest)
  const y = (value: number) => round(HEIGHT - (HEIGHT - 8) * (value / top))
  const wide = 100 / columns.length
  const gap = columns.length > 100 ? 0 : wide * 0.18
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step)
  const every = Math.ceil(columns.length / 6)
  return html`<div class="chart" aria-hidden="true"><svg width="44" height="${HEIGHT + BELOW}" focusable="false">${lines.map(
    value => html`<text x="38" y="${y(value) + 4}" text-anchor="end">${inDigits(value)}</text>`,
  )}</svg>
<svg class="plot" width="100%" height="${HEIGHT + BELOW}" focusable="false">
<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-ground" width="5" height="5"/><rect class="hatch-line" width="2" height="5"/></pattern></defs>
${lines.map(value => html`<line class="grid" x1="0" x2="100%" y1="${y(value)}" y2="${y(value)}"/>`)}
${columns.map(({ parts }, index) => {
  let below = 0
  return parts.map((value, part) => {
    if (value === 0) return ''
    const bottom = y(below)
    below += value
    return html`<rect class="part-${part}" x="${round(index * wide + gap / 2)}%" width="${round(wide - gap)}%" y="${y(below)}" height="${round(bottom - y(below))}"/>`
  })
})}
${columns.map(({ label }, index) =>
  index % every === 0
    ? html`<text${index % (2 * every) === 0 ? '' : html` class="spare"`} x="${round(index * wide)}%" y="${HEIGHT + 16}">${label}</text>`
    : '',
)}
</svg></div>`
}

export const legend = (names: readonly string[], className: string): Html =>
  html`<ul class="legend">${names.map(
    (name, index) =>
      html`<li><svg width="14" height="14" aria-hidden="true" focusable="false"><rect class="${className}-${index}" x="1" y="1" width="12" height="12"/></svg>${name}</li>`,
  )}</ul>`

/** One bar of parts side by side. Each part is a share of `whole`. */
export function bar(parts: readonly number[], whole: number, className = 'part'): Html {
  let before = 0
  return html`<svg class="bar" width="100%" height="14" aria-hidden="true" focusable="false"><rect class="track" width="100%" height="14"/>${parts.map(
    (value, part) => {
      if (value === 0 || whole === 0) return ''
      const x = before
      before += (100 * value) / whole
      return html`<rect class="${className}-${part}" x="${round(x)}%" width="${round((100 * value) / whole)}%" height="14"/>`
    },
  )}</svg>`
}

/** The end of an axis that starts at 0, and its steps: round whole numbers, at most five. */
export function scaleFor(highest: number): { top: number; step: number } {
  const rough = highest / 4
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)))
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough) ?? 1
  return { top: Math.ceil(highest / step) * step, step }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0)
const round = (n: number) => Math.round(n * 100) / 100
