import { deepEqual, equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Document, documentWith, operationOf } from './openapi.ts'

/** The workspace has a TypeScript of its own, since the generator needs an older one. */
const workspace = resolve('tools/openapi-client')
const require = createRequire(join(workspace, 'package.json'))

type Generator = { default: (source: string) => Promise<unknown>; astToString: (ast: unknown) => string }

/** A folder with the client, the types that it uses, and the examples, which must be of these types. */
async function clientOf(t: TestContext, document: Document, examples: object): Promise<string> {
  const folder = temporaryFolder(t)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const generator: Generator = require('openapi-typescript')
  const types = await generator.default(JSON.stringify(document))
  write('package.json', '{ "type": "module" }')
  write('description.ts', generator.astToString(types))
  write(
    'examples.ts',
    `import type { components } from './description.ts'
    type Body = components['schemas']['SiteInterest']
    export const examples = ${JSON.stringify(examples)} satisfies Record<string, Body>`,
  )
  copyFileSync(join(workspace, 'client.ts'), join(folder, 'client.ts'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction')
  return folder
}

const examplesOf = (document: Document): Record<string, object> =>
  Object.fromEntries(
    Object.entries(operationOf(document).requestBody.content['application/json'].examples ?? {}).map(
      ([name, { value }]) => [name, value as object],
    ),
  )

const run = (folder: string, ...args: string[]) =>
  new Promise<{ code: unknown; output: string }>(done =>
    execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, output: stdout || stderr }),
    ),
  )

const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')

const compile = (folder: string) =>
  run(
    folder,
    compiler,
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--allowImportingTsExtensions',
    '--types',
    'node',
    'client.ts',
  )

describe('a client generated from the OpenAPI description', () => {
  const document = documentWith()
  const examples = examplesOf(document)

  test('compiles, and is answered as its types say', async t => {
    const service = await startApp(t)
    const folder = await clientOf(t, document, examples)
    deepEqual(await compile(folder), { code: 0, output: '' })
    const { output } = await run(folder, 'client.ts', service.origin.site)
    deepEqual(JSON.parse(output), [
      { status: 200, succeeded: true },
      { status: 200, data: { success: true } },
      { status: 400, sentence: 'firstName must be 2 to 50 characters (it has 1)' },
    ])
    await service.settle()
    equal(service.sent.length, 2)
  })

  test('does not compile with a body that lacks a field, has one too many, or fills the trap', async t => {
    const { minimal } = examples
    const { code, output } = await compile(
      await clientOf(t, document, {
        ...examples,
        lacking: { ...minimal, company: undefined },
        unknown: { ...minimal, fax: '1' },
        trapped: { ...minimal, website: 'x' },
      }),
    )
    equal(code, 2)
    const complaints = output
      .trim()
      .split('\n')
      .filter(line => line.startsWith('examples.ts'))
    equal(complaints.length, 3)
    match(output, /Property 'company' is missing/)
    match(output, /'"fax"' does not exist/)
    match(output, /Type '"x"' is not assignable to type '""'/)
  })
})
