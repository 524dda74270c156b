/** Bodies that an admin has written in Liquid. Rendering has limits, so that no template delays the service. */
import { CaptureTag, type Context, Liquid } from 'liquidjs'
import { Unsendable } from './destination-kind.ts'

/** The longest template, and the longest result, in characters. */
const LONGEST_TEMPLATE = 20_000
const LONGEST_BODY = 200_000

/** The longest time, in milliseconds. */
const LONGEST_TIME = 50

const liquid = new Liquid({
  // A template cannot include other files.
  templates: {},
  ownPropertyOnly: true,
  strictFilters: true,
  strictVariables: false,
  parseLimit: LONGEST_TEMPLATE,
  renderLimit: LONGEST_TIME,
  memoryLimit: 1_000_000,
})

/** A captured text counts as memory, too: a few captures that each double their text would take hundreds of MB. */
class CountedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context)
    context.memoryLimit.use(String(context.bottom()[this.variable]).length)
  }
}

liquid.registerTag('capture', CountedCapture)

/** Renders a template with these variables. Throws an Unsendable that says what is wrong with the template. */
export function bodyFrom(template: string, variables: object): string {
  if (template.length > LONGEST_TEMPLATE) throw new Unsendable('the body is too long')
  let body: string
  try {
    body = liquid.parseAndRenderSync(template, variables)
  } catch (error) {
    throw new Unsendable(`the body cannot be made: ${inOneLine((error as Error).message)}`)
  }
  if (body.length > LONGEST_BODY) throw new Unsendable('the body that the template makes is too long')
  return body
}

/** The message without the name of a file, since the template is not in a file. */
const inOneLine = (message: string): string =>
  message
    .replace(/, file:.*?(?=, line|$)/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
