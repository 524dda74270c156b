/** Everything that a document shows is sent to the service, and answered as the document says. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { checkSettings, type PartialSettings } from '../../../src/config/settings.ts'
import { siteExamples, studentExamples } from '../../../src/http/discovery/examples.ts'
import { requireProgram } from '../../support/packages.ts'
import { type PublicApp, startPublicApp } from '../../support/public-app.ts'
import { bodyIn, section } from './reading.ts'

const read = async (url: string): Promise<string> => (await fetch(url)).text()

async function post(url: string, body: object | string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, answer: await response.json() }
}

const variants: [about: string, settings: PartialSettings][] = [
  ['as the settings are when nobody has changed them', {}],
  [
    'where the settings say otherwise',
    {
      siteInterest: { honeypot: 'accept' },
      studentInterest: {
        answers: {
          timeline: { allowed: ['1 - Now | soon', "2 - When I'm ready"] },
          source: { allowed: ['0 - "Radio"'] },
        },
      },
    },
  ],
]

const requestsOf = ({ base, learn }: PublicApp) => ({
  siteInterest: (body: object | string) => post(`${base}/api/site-interest`, body),
  studentInterest: (body: object | string) => post(`${learn}/api/admissions/interest`, body),
})

describe('an example', () => {
  for (const [about, partial] of variants) {
    test(`of a request is answered as it says, ${about}`, async t => {
      const app = await startPublicApp(t, { settings: partial })
      const { settings } = checkSettings(partial)
      const { siteInterest, studentInterest } = requestsOf(app)
      for (const { name, body, status, response: answer } of siteExamples(settings)) {
        assert.deepEqual(await siteInterest(body), { status, answer }, `site: ${name}`)
      }
      for (const { name, body, status, response: answer } of studentExamples(settings)) {
        assert.deepEqual(await studentInterest(body), { status, answer }, `student: ${name}`)
      }
    })

    test(`in the API reference is taken at the first try, ${about}`, async t => {
      const app = await startPublicApp(t, { settings: partial })
      const reference = await read(`${app.base}/docs/api.md`)
      const { siteInterest, studentInterest } = requestsOf(app)
      const success = { status: 200, answer: { success: true } }
      for (const which of ['minimal', 'complete'] as const) {
        const site = bodyIn(section(reference, 'Submit site interest'), which)
        assert.deepEqual(await siteInterest(site), success)
        const student = bodyIn(section(reference, 'Submit student interest'), which)
        assert.deepEqual(await studentInterest(student), success)
      }
    })

    test(`in the OpenAPI description is answered as it says, ${about}`, async t => {
      const app = await startPublicApp(t, { settings: partial })
      const { siteInterest } = requestsOf(app)
      const { paths } = JSON.parse(await read(`${app.base}/openapi/site-interest.json`))
      const { requestBody } = paths['/api/site-interest'].post
      const content = requestBody.content['application/json']
      for (const { value } of Object.values<{ value: object }>(content.examples)) {
        const expected = { status: 200, answer: { success: true } }
        assert.deepEqual(await siteInterest(value), expected)
      }
      type Invalid = { body: object; status: number; answer: object }
      for (const { body, status, answer } of Object.values<Invalid>(
        content['x-invalid-requests'],
      )) {
        assert.deepEqual(await siteInterest(body), { status, answer })
      }
    })
  }
})

describe('code that is pasted from a page', () => {
  /** The interpreter of each, which reads it from standard input. */
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
    test(`runs, submits nothing, and says that all is well: ${page}`, async t => {
      const app = await startPublicApp(t)
      const markdown = await read(`${app.base}${page}`)
      const samples = Array.from(markdown.matchAll(/```(sh|js|python) title="\w+"\n(.*?)```/gs))
      assert.ok(samples.length > 0)
      for (const [, language = '', code = ''] of samples) {
        assert.match(await run(language, code), /\{\s*['"]?valid['"]?: ?[tT]rue\s*\}/, code)
      }
      assert.deepEqual(await countedRows(app), [])
    })

    test(`submits when the parameter is taken away: ${page}`, async t => {
      const app = await startPublicApp(t)
      const markdown = await read(`${app.base}${page}`)
      const samples = Array.from(markdown.matchAll(/```(sh|js|python) title="\w+"\n(.*?)```/gs))
      for (const [, language = '', code = ''] of samples) {
        const inEarnest = code.replace('?validateOnly=true', '')
        assert.match(await run(language, inEarnest), /\{\s*['"]?success['"]?: ?[tT]rue\s*\}/)
      }
      assert.ok((await countedRows(app)).length > 0)
    })
  }
})

async function countedRows(app: PublicApp) {
  await app.settle()
  return app.app.store.listLeads({ limit: 10 })
}
