/** The forms as a browser without scripts uses them: open the page, fill in its fields, send it to its action. */
import type { Kind } from '../../src/leads/body/submission.ts'
import type { TestApp, TestResponse } from './app.ts'
import { aSite, aStudent } from './bodies.ts'

type Values = Record<string, string>

export type OpenForm = {
  page: TestResponse
  /** The hidden fields, with the token among them. */
  hidden: Values
  /** Sends the hidden fields and these. A value of undefined takes a field away. */
  send(values: Record<string, string | undefined>, init?: RequestInit): Promise<TestResponse>
}

export const pathOf = (kind: Kind): string => `/forms/${kind}-interest`

export const formUrl = ({ origin }: TestApp, kind: Kind): string =>
  `${kind === 'site' ? origin.site : origin.learn}${pathOf(kind)}`

export async function openForm(
  app: TestApp,
  kind: Kind,
  { query = '', headers = {} }: { query?: string; headers?: Values } = {},
): Promise<OpenForm> {
  const url = `${formUrl(app, kind)}${query}`
  return asForm(app, url, await app.request(url, { headers: { Accept: 'text/html', ...headers } }))
}

/** The form of a page that came as the response to another. */
export function asForm(app: TestApp, url: string, page: TestResponse): OpenForm {
  const hidden = Object.fromEntries(
    Array.from(
      page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g),
      ([, name = '', value = '']) => [name, unescaped(value)],
    ),
  )
  const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(page.text) ?? []
  const target = new URL(unescaped(action), url).href
  return {
    page,
    hidden,
    send: (values, init) => {
      const all = Object.entries({ ...hidden, ...values })
      const given = all.filter((entry): entry is [string, string] => entry[1] !== undefined)
      return app.request(target, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(given),
        ...init,
        headers: { Accept: 'text/html', ...init?.headers },
      })
    },
  }
}

/** What a person types, a different one each time. */
export function typed(kind: Kind, over: Values = {}): Values {
  const { website: _, startedAt: __, ...site } = aSite()
  const { idempotencyKey: ___, interestLevel, timeline, experience, source, ...student } = aStudent()
  return { ...((kind === 'site' ? site : student) as Values), ...over }
}

/** The text between the tags, with its characters as people read them. */
export const readable = (page: string): string =>
  unescaped(page.replace(/<(style|script)\b.*?<\/\1>/gs, '').replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')

/** The sentence beside a field; undefined if there is none. */
export function problemAt(page: string, field: string): string | undefined {
  const [, sentence] = new RegExp(`<p class="problem" id="${field}-problem"[^>]*>([^<]*)<`).exec(page) ?? []
  return sentence === undefined ? undefined : unescaped(sentence)
}

/** The code of a page below this caption, as people copy it. */
export function codeBelow(page: string, caption: string): string {
  const below = new RegExp(`<figcaption>${caption}</figcaption>\\s*<pre[^>]*><code>(.*?)</code>`, 's').exec(page)
  return unescaped((below?.[1] ?? '').replace(/<[^>]*>/g, ''))
}

/** A text of a page with its characters as people read them. */
export const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
