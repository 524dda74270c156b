/** Requests that an admin puts together, for programs that expect a form of their own. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HOUR } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { addOf, formOf, startWithReceiver } from './add-destination.ts'

const request = {
  verb: 'PUT',
  headers: 'Authorization: Bearer very-secret\nX-School: north',
  type: 'application/json',
  body: '{"name": {{ lead.firstName | json }}, "event": {{ event.type | json }}}',
  events: ['lead.created'],
  fields: ['firstName', 'email'],
}

onEachEngine(engine => {
  describe('an HTTP request', () => {
    test('is what the admin wrote, with the data of the lead, whatever characters it has', async t => {
      const { admin, url, received, postStudent, settle } = await startWithReceiver(t, { engine })
      await addOf('request', admin, { ...request, url: `${url}/{lead}` })
      await postStudent(aStudent({ firstName: 'Ana "}, {{ x }}' }))
      await settle()
      const [sent] = received
      deepEqual(JSON.parse(sent?.body ?? ''), { name: 'Ana "}, {{ x }}', event: 'lead.created' })
      const { authorization, 'x-school': school, 'content-type': type, 'idempotency-key': key } = sent?.headers ?? {}
      deepEqual([sent?.method, sent?.path, authorization, school], ['PUT', '/hook/1', 'Bearer very-secret', 'north'])
      equal(type, 'application/json')
      ok(key)
    })

    test('keeps its secrets encrypted and unseen, and when it is changed without them', async t => {
      const { admin, url, received, settle, database } = await startWithReceiver(t, { engine })
      await addOf('request', admin, { ...request, url })
      const [row] = await sql(database, 'select * from destinations')
      doesNotMatch(JSON.stringify(row), /very-secret|hook/)
      const page = (await admin.get('/destinations/1')).text
      doesNotMatch(page, /very-secret|\/hook/)
      match(page, /lead\.firstName \| json/)
      await admin.post('/destinations/1', formOf({ ...request, name: 'CRM', url: '', headers: '', verb: 'PATCH' }))
      await admin.post('/destinations/1/test')
      await settle()
      deepEqual([received[0]?.method, received[0]?.headers['authorization']], ['PATCH', 'Bearer very-secret'])
      deepEqual(JSON.parse(received[0]?.body ?? ''), { name: 'Sam', event: 'test' })
    })

    test('loses its headers only if the admin says so', async t => {
      const { admin, url, received, settle } = await startWithReceiver(t, { engine })
      await addOf('request', admin, { ...request, url })
      for (const cleared of [[], ['headers']]) {
        await admin.post('/destinations/1', formOf({ ...request, name: 'CRM', url: '', headers: '', cleared }))
        await admin.post('/destinations/1/test')
        await settle()
      }
      deepEqual(
        received.map(({ headers }) => headers['authorization']),
        ['Bearer very-secret', undefined],
      )
    })

    test('is tried out on an invented lead, and nothing is sent or saved', async t => {
      const { admin, url, received, settle, database } = await startWithReceiver(t, { engine })
      const form = { name: 'CRM', kind: '', ...request, url, do: 'try' }
      const tried = await admin.post('/destinations/new/request', formOf(form))
      equal(tried.status, 200)
      match(tried.text, /{&quot;name&quot;: &quot;Sam&quot;, &quot;event&quot;: &quot;lead.created&quot;}/)
      const broken = await admin.post(
        '/destinations/new/request',
        formOf({ ...form, body: '{"name": {{ lead.firstName }}}' }),
      )
      match(broken.text, /the body is not valid JSON/)
      await settle()
      deepEqual([received, await sql(database, 'select * from destinations')], [[], []])
    })

    test('has no template that ends late, reads files, or cannot be read, and no header of the connection', async t => {
      const { admin, url } = await startWithReceiver(t, { engine })
      const endless =
        '{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}x{% endfor %}{% endfor %}{% endfor %}'
      const bodies = [
        endless,
        '{{ "x" | times }',
        "{% include 'package.json' %}",
        '{% for a in (1..99999999) %}{% endfor %}',
        `{% assign a = "x" %}${'{% capture a %}{{ a }}{{ a }}{% endcapture %}'.repeat(22)}{{ a | url_encode | size }}`,
      ]
      for (const body of bodies) {
        const { status, text } = await admin.post(
          '/destinations/new/request',
          formOf({ ...request, name: 'CRM', url, body }),
        )
        equal(status, 422, body)
        match(text, /This does not work/)
      }
      for (const headers of ['Host: other.example', 'Content-Length: 3', 'no colon', 'X-Name: caf\u0000', 'a b: c']) {
        const { status } = await admin.post(
          '/destinations/new/request',
          formOf({ ...request, name: 'CRM', url, headers }),
        )
        ok([400, 422].includes(status), headers)
      }
    })

    test('whose template no longer makes JSON is tried again, and sent once the template is corrected', async t => {
      const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, { engine })
      await addOf('request', admin, { ...request, url, body: '{"name": "{{ lead.firstName }}"}' })
      await postStudent(aStudent({ firstName: 'Ana "Li"' }))
      await settle()
      match((await admin.get('/destinations/1')).text, /the body is not valid JSON/)
      await admin.post('/destinations/1', formOf({ ...request, name: 'CRM', url: '' }))
      clock.advance(HOUR)
      await settle()
      equal(received.length, 1)
    })
  })
})
