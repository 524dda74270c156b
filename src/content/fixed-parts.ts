/** The parts of a template that are the same in every rendering. */
import type { Liquid, Template } from 'liquidjs'

/** A filter may depend on the moment (`date`), and any tag except these may depend on what came before it (`cycle`). */
const MAY_CHANGE = /\||\{%(?!-?\s*(?:(?:end)?(?:for|if|unless)|else|elsif)\b)/

/**
 * The template with all parts rendered that depend only on `known`, the variables that are the same in every rendering.
 * For a layout, that is nearly everything.
 */
export function withFixedParts(liquid: Liquid, templates: Template[], known: object): Template[] {
  const hidden = Object.keys(liquid.analyzeSync(templates).locals)
  if (hidden.some(name => name in known)) return templates
  const isFixed = (template: Template, next: Template | undefined): boolean =>
    !MAY_CHANGE.test(template.token.input.slice(template.token.begin, next?.token.begin)) &&
    liquid.globalVariablesSync([template]).every(name => name in known)

  const parts: { fixed: boolean; templates: Template[] }[] = []
  for (const [index, template] of templates.entries()) {
    const fixed = isFixed(template, templates[index + 1])
    const last = parts.at(-1)
    if (last?.fixed === fixed) last.templates.push(template)
    else parts.push({ fixed, templates: [template] })
  }
  return parts.flatMap(({ fixed, templates }) => {
    const [first] = templates
    if (!fixed || !first) return templates
    const text: string = liquid.renderSync(templates, known)
    return [{ token: first.token, render: () => text }]
  })
}
