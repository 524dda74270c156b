import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withFixedParts } from '../../src/content/fixed-parts.ts'
import { createLiquid } from '../../src/content/liquid.ts'

const liquid = createLiquid([], 'html')
const known = { brand: { ink: '#111', logo: '<a&b>' }, lang: 'en' }

/** What a layout may consist of. */
const PIECES = [
  'text | ',
  '{{ brand.ink }}',
  '{{ brand.logo }}',
  ' {{- brand.none }}\n',
  '{{ lang | upcase }}',
  '{{ subject }}',
  '{{ body | raw }}',
  '{% if brand.logo %}{{ school.name }}{% else %}-{% endif %}',
  '{% if brand.none %}a{% elsif lang %}b{% endif %}',
  '{% unless brand.ink %}a{% endunless %}',
  '{% for i in (1..3) %}{{ i }}{{ forloop.last }}{% endfor %}',
  '{% for brand in list %}{{ brand.ink }}{% endfor %}',
  '{% if subject %}{% for i in (1..2) %}{{ lang }}{% endfor %}{% endif %}',
  '{% cycle "a", "b" %}',
  '{% assign n = 1 %}',
  '{% assign lang = subject %}',
  '{% capture brand %}x{% endcapture %}',
  '{% increment n %}',
  '{{ n }}',
  '{% raw %}{{ lang }}{% endraw %}',
  '{% comment %}{{ lang }}{% endcomment %}',
]

test('a template renders the same with its fixed parts rendered beforehand', () => {
  const layouts = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 })
  fc.assert(
    fc.property(layouts, fc.string(), (pieces, subject) => {
      const parsed = liquid.parse(pieces.join(''))
      const quick = withFixedParts(liquid, parsed, known)
      const list = [{ ink: 1 }, { ink: 2 }]
      const school = { name: subject }
      const render = (templates: typeof parsed): string =>
        liquid.renderSync(templates, { subject, list, school, body: '<p>', ...known })
      for (const _ of [1, 2]) equal(render(quick), render(parsed))
    }),
    { numRuns: 500 },
  )
})

test('what depends on nothing else is one part, and what depends on the moment is not', () => {
  const parts = (layout: string) => withFixedParts(liquid, liquid.parse(layout), known).length
  equal(parts('a {{ brand.ink }} {% if lang %}b{% endif %} {{ subject }} {{ lang }}.'), 3)
  ok(parts('{{ "now" | date: "%Y" }} a {{ lang }}') > 1)
})
