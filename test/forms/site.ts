/** The service with its forms, and another site that embeds them as `/forms` says. */
import { equal } from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { PartialSettings } from '../../src/config/settings.ts'
import type { FormDetails } from '../../src/leads/body/form-details.ts'
import type { TestOptions } from '../support/app.ts'
import { type WithClients, withClients } from '../support/console.ts'
import { sql } from '../support/engines.ts'
import { type PublicApp, startPublicApp } from '../support/public-app.ts'

export type FormService = WithClients<PublicApp> & {
  /** What is stored beside the only submission of an email address. Throws if there are none or several. */
  onlySubmissionOf(email: string): Promise<FormDetails>
  /** The code of `/forms` with this title and these words. */
  snippet(title: string, words: string): string
  /** The whole text of `/forms` in Markdown. */
  text: string
}

/** With working URLs: its pages name the ports that it listens on. */
export async function startForms(
  t: TestContext,
  settings: PartialSettings,
  options: TestOptions = {},
): Promise<FormService> {
  const service = withClients(await startPublicApp(t, { ...options, settings }))
  const text = await (await fetch(`${service.base}/forms.md`)).text()
  const code = [...text.matchAll(/```html title="([^"]+)"\n(.*?)```/gs)]
  return {
    ...service,
    text,
    snippet: (title, words) => {
      const [, , found] = code.find(([, name, one]) => name === title && one?.includes(words)) ?? []
      if (found === undefined) throw new Error(`/forms has no code "${title}" with ${words}`)
      return found
    },
    onlySubmissionOf: async email => {
      const rows = await sql(service.database, 'select body, form from submissions')
      const found = rows.filter(({ body }) => JSON.parse(String(body)).email === email)
      equal(found.length, 1, `submissions of ${email}`)
      return JSON.parse(String(found[0]?.['form']))
    },
  }
}

/** Another site with static pages. Browsers count `localhost` and `127.0.0.1` as two sites. */
export async function startSite(t: TestContext) {
  const pages = new Map<string, { html: string; headers: Record<string, string> }>()
  const server = createServer(({ url = '/' }, response) => {
    const page = pages.get(url.replace(/\?.*/, ''))
    response.writeHead(page ? 200 : 404, { 'Content-Type': 'text/html', ...page?.headers })
    response.end(page?.html)
  })
  await new Promise<void>(resolve => server.listen(0, resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    /** Publishes a page with this content, and returns its URL. */
    publish: (path: string, content: string, headers: Record<string, string> = {}): string => {
      const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Westside Clinic</title><main><h1>Westside Clinic</h1>${content}</main></html>`
      pages.set(path, { html, headers })
      return `${origin}${path}`
    },
  }
}
