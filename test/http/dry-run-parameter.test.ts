import { deepEqual, equal, match, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readDryRun } from '../../src/http/dry-run-parameter.ts'
import type { HttpError } from '../../src/http/errors.ts'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'

const PATH = '/api/site-interest'

const asked = (url: string, headers = {}) => readDryRun({ url, headers })

describe('the parameter validateOnly', () => {
  const read = (query: string) => {
    try {
      return asked(`${PATH}${query}`)
    } catch (error) {
      const { status, message } = error as HttpError
      match(message, /Send validateOnly=true to have the request checked without submitting it/)
      return status
    }
  }

  test('asks for a dry run with true, whatever other parameters there are', () => {
    for (const query of [
      '?validateOnly=true',
      '?utm_source=x&validateOnly=true&y',
      '?validateOnly=true&validateOnly=true',
      '?%76alidateOnly=%74rue',
    ]) {
      equal(read(query), true, query)
    }
    equal(asked(`http://localhost:3000${PATH}?validateOnly=true`), true)
  })

  test('is understood even if it was joined to another parameter in a wrong way', () => {
    for (const joint of ['?', ';', '&amp;', '&&', '&?']) {
      equal(read(`?utm_source=x${joint}validateOnly=true`), true, joint)
    }
  })

  test('does not ask for a dry run if it is absent or false', () => {
    for (const query of [
      '',
      '?',
      '?utm_source=form&utm_campaign=trial',
      '?valid=run&only=entry',
      '?source=dry+cleaning',
      '?validateOnly=false',
      '?validateOnly=false&validateOnly=false',
    ]) {
      equal(read(query), false, query)
    }
  })

  test('is rejected with any other value, and with two', () => {
    for (const value of ['', '=', '=1', '=TRUE', '=True', '=yes', '=true%20', '=true#x', '=true,true']) {
      equal(read(`?validateOnly${value}`), 400, value)
    }
    equal(read('?validateOnly=true&validateOnly=false'), 400)
    equal(read('?validateOnly=false&validateOnly=true'), 400)
  })

  test('is rejected under any other name that seems to mean it, whatever the value', () => {
    for (const name of [
      'validate_only',
      'validateonly',
      'validate-only',
      'ValidateOnly',
      'validate%20only',
      'validateOnly[]',
      'dryRun',
      'dry_run',
      'dry-run',
      'DRYRUN',
      'valdateOnly',
      'validateOnyl',
      'validOnly',
      'validate',
      'dry',
      'preview',
    ]) {
      for (const value of ['', '=true', '=false']) equal(read(`?${name}${value}`), 400, name)
      equal(read(`?validateOnly=true&${name}=true`), 400, name)
    }
  })
})

test('the parameter is rejected if it was sent in a way in which it could be missed', () => {
  for (const query of [
    '?validateOnly%3Dtrue',
    '?utm=x%26validateOnly=true',
    '?utm=x%3FvalidateOnly=true',
    '?params%5BvalidateOnly%5D=true',
    '?query.validateOnly=true',
    '?validateOnly:true',
    '?validateOnly+true',
    '?validateOnly%EF%BC%9Dtrue',
    '?x=1#validateOnly=true',
    '?isDryRun=true',
    '?x=validateOnly',
    '?mode=dry-run',
    '?test=true',
    '?TEST=1',
    '?test',
    '?%2526validateOnly%253Dtrue',
    '?%zz&validateOnly:true',
  ]) {
    throws(() => asked(`${PATH}${query}`), { status: 400 }, query)
  }
})

test('a header that asks for a dry run is rejected, and other preferences are ignored', () => {
  for (const headers of [
    { 'x-dry-run': 'true' },
    { 'dry-run': '1' },
    { 'x-validate-only': '' },
    { 'x-test': 'true' },
    { prefer: 'dry-run' },
    { prefer: 'validate-only, wait=5' },
  ]) {
    throws(() => asked(PATH, headers), { status: 400, message: /in the URL, not in a header/ })
    throws(() => asked(`${PATH}?validateOnly=true`, headers), { status: 400 })
  }
  equal(asked(PATH, { prefer: 'return=minimal, respond-async' }), false)
})

test('the parameter in a body, where it would do nothing, is rejected by both operations', async t => {
  const service = await startApp(t)
  const hint = 'to check without submitting, add ?validateOnly=true to the URL'
  for (const name of ['validateOnly', 'validate_only', 'valdateOnly', 'dryRun', 'DRY-RUN']) {
    const error = `${name} is not a body property: ${hint}`
    const site = await service.postSite(aSite({ [name]: true }))
    deepEqual([site.status, site.body], [400, { error }])
    const student = await service.postStudent(aStudent({ [name]: true }))
    deepEqual([student.status, student.body], [400, { error }])
  }
  const ignored = await service.postStudent(aStudent({ validated: true, tryOut: true }))
  equal(ignored.status, 200)
})
