/** Every request that a document shows gets the response that the document says. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { checkSettings, type PartialSettings } from '../../../src/config/settings.ts'
import { siteExamples, studentExamples } from '../../../src/http/discovery/examples.ts'
import { HOUR, startOfDay } from '../../../src/platform/time.ts'
import { currentTestClock } from '../../support/clock.ts'
import { countRows } from '../../support/engines.ts'
import { requireProgram } from '../../support/packages.ts'
import { startPublicApp } from '../../support/public-app.ts'
import type { Document } from './openapi.ts'
import { operationOf } from './openapi.ts'
import { bodyIn, fetchText, section } from './reading.ts'

async function post(url: string, body: object | string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, answer: await response.json() }
}

const start = (settings: PartialSettings) =>
  startPublicApp({ after } as TestContext, { settings, clock: currentTestClock() })
const otherSettings: PartialSettings = {
  siteInterest: { honeypot: 'accept' },
  studentInterest: {
    answers: { timeline: { allowed: ['1 - Now | soon', "2 - When I'm ready"] }, source: { allowed: ['0 - "Radio"'] } },
  },
}
const usual = await start({})
const other = await start(otherSettings)

/** A body as JSON, to find it again. */
const withoutKey = (body: unknown): string =>
  JSON.stringify(body, (name, value) => (name === 'idempotencyKey' ? undefined : value))

describe('an example gets the documented response, on every page and in the description', () => {
  for (const [about, partial, app] of [
    ['with the default settings', {}, usual],
    ['with other settings', otherSettings, other],
  ] as const) {
    test(about, async () => {
      const { settings } = checkSettings(partial)
      const today = startOfDay(app.clock.now())
      /** The responses that the service has given, by what was sent. */
      const given = new Map<string, object>()
      for (const [url, examples] of [
        [`${app.base}/api/site-interest`, siteExamples(settings, today)],
        [`${app.learn}/api/admissions/interest`, studentExamples(settings, today)],
      ] as const) {
        for (const { name, body, status, response: answer } of examples) {
          deepEqual(await post(url, body), { status, answer }, `${url}: ${name}`)
          given.set(withoutKey(body), { status, answer })
        }
      }
      // The page has the key of a request in a header.
      const responseTo = (body: unknown) => given.get(withoutKey(body))
      const success = { status: 200, answer: { success: true } }

      const reference = await fetchText(`${app.base}/docs/api.md`)
      for (const heading of ['Submit site interest', 'Submit student interest']) {
        for (const which of ['minimal', 'complete'] as const) {
          deepEqual(responseTo(bodyIn(section(reference, heading), which)), success)
        }
      }

      const description: Document = JSON.parse(await fetchText(`${app.base}/openapi/site-interest.json`))
      const { examples = {}, 'x-invalid-requests': invalid } =
        operationOf(description).requestBody.content['application/json']
      for (const { value } of Object.values(examples)) deepEqual(responseTo(value), success)
      for (const { body, status, answer } of Object.values(invalid)) {
        const sent = typeof body === 'string' ? body : JSON.stringify(body)
        deepEqual(given.get(sent) ?? responseTo(body), { status, answer })
      }
      equal(Object.keys({ ...examples, ...invalid }).length, siteExamples(settings, today).length)
    })
  }
})

describe('code that is pasted from a page', () => {
  /** The interpreter of each language reads the code from standard input. */
  const interpreters: Record<string, string[]> = {
    sh: ['/bin/sh'],
    js: [process.execPath, '--input-type=module'],
    python: ['/usr/bin/python3'],
  }

  async function run(language: string, code: string): Promise<string> {
    requireProgram('/usr/bin/curl', 'curl')
    requireProgram('/usr/bin/python3', 'python3')
    const [program = '', ...options] = interpreters[language] ?? []
    const running = promisify(execFile)(program, options)
    running.child.stdin?.end(code)
    return (await running).stdout
  }

  for (const page of ['/developers.md', '/docs/api.md']) {
    test(`runs, and submits nothing until the parameter is removed: ${page}`, async () => {
      const markdown = await fetchText(`${usual.base}${page}`)
      const samples = Array.from(markdown.matchAll(/```(sh|js|python) title="\w+"\n(.*?)```/gs))
      ok(samples.length > 0)
      // All pages have the same people in their samples, whose addresses may not write more often.
      usual.clock.advance(HOUR)
      const before = await countRows(usual.database, 'submissions')
      for (const [, language = '', code = ''] of samples) {
        match(await run(language, code), /\{\s*['"]?valid['"]?: ?[tT]rue\s*\}/, code)
      }
      equal(await countRows(usual.database, 'submissions'), before)
      for (const [, language = '', code = ''] of samples) {
        const submitting = code.replace('?validateOnly=true', '')
        match(await run(language, submitting), /\{\s*['"]?success['"]?: ?[tT]rue\s*\}/)
      }
      ok((await countRows(usual.database, 'submissions')) > before)
    })
  }
})
