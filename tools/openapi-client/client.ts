/**
 * A client as a developer writes it, against types generated from the published description: sends
 * the documented examples, and one body that the service refuses. Prints what came back, as JSON.
 *
 * `description.ts` and `examples.ts` are made by the test that runs this.
 */
import createClient from 'openapi-fetch'
import type { paths } from './description.ts'
import { examples } from './examples.ts'

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' })
const submit = client.POST
const path = '/api/site-interest'

const minimal = await submit(path, { body: examples.minimal })
const succeeded: true | undefined = minimal.data?.success

const complete = await submit(path, {
  params: { header: { 'Idempotency-Key': '"5f0c2b9e"' } },
  body: examples.complete,
})

const refused = await submit(path, { body: { ...examples.minimal, firstName: 'A' } })
const sentence: string | undefined = refused.error?.error

process.stdout.write(
  JSON.stringify([
    { status: minimal.response.status, succeeded },
    { status: complete.response.status, data: complete.data },
    { status: refused.response.status, sentence },
  ]),
)
