/** For emails that differ only in their links: the email is rendered once, and each one's links are filled in later. */
import { MINUTE } from '../platform/time.ts'
import type { Rendered, Template } from './message-templates.ts'

/** The links, each with a letter that replaces every character of its token until the real link is filled in. */
const LINKS = { unsubscribe_url: 'U', not_me_url: 'N' }

/** A token contains no character with a meaning in HTML or a URL, and its stand-in is too long to occur by chance. */
const LINK = /^(.*\/)([\w.-]{8,})$/

/** How long a rendering is kept. A template may show the time or the day, which may be out of date for this long. */
const KEEP = MINUTE

/**
 * Makes a template that renders only once for variables that hardly differ except in their links. If a template does
 * more with a link than show it, it is rendered each time. `elapsed`: a time in milliseconds that only goes forward.
 */
export function linksAfterward(template: Template, elapsed = () => performance.now()): Template {
  const known = new Map<string, Rendered | undefined>()
  let since = 0
  return variables => {
    if (elapsed() - since > KEEP) {
      known.clear()
      since = elapsed()
    }
    const { general, tokens } = withoutTokens(variables)
    const key = JSON.stringify(general)
    const found = known.get(key)
    if (found) return withTokens(found, tokens)
    const rendered = template(variables)
    if (known.has(key)) return rendered
    const form = template(general)
    known.set(key, isSame(withTokens(form, tokens), rendered) ? form : undefined)
    return rendered
  }
}

type Token = { standIn: string; token: string }

function withoutTokens(variables: object): { general: object; tokens: Token[] } {
  const general: Record<string, unknown> = { ...variables }
  const tokens = Object.entries(LINKS).flatMap(([name, letter]) => {
    const [, path, token] = LINK.exec(String(general[name])) ?? []
    if (path === undefined || token === undefined) return []
    const standIn = letter.repeat(token.length)
    general[name] = path + standIn
    return [{ standIn, token }]
  })
  return { general, tokens }
}

function withTokens({ subject, preheader, text, html }: Rendered, tokens: Token[]): Rendered {
  const put = (into: string) => tokens.reduce((result, { standIn, token }) => result.replaceAll(standIn, token), into)
  return { subject, preheader, text: put(text), html: put(html) }
}

const isSame = (one: Rendered, other: Rendered): boolean =>
  one.subject === other.subject && one.text === other.text && one.html === other.html
