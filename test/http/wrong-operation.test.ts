import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'

const SITE = 'http://localhost:3000/api/site-interest'
const STUDENT = 'http://localhost:3001/api/admissions/interest'

test('a body at the wrong operation is pointed to the right one, and a dry run stays one', async t => {
  const service = await startApp(t)
  const { firstName, lastName, email, phone } = aStudent()
  const answers = { city: 'Austin', interestLevel: '1 - Ready', idempotencyKey: 'one' }
  const student = { firstName, lastName, email, phone, ...answers }
  const key = { 'X-Idempotency-Key': 'one' }
  const atSite = (query = '') =>
    service.request(`${service.origin.site}/api/site-interest${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(student),
    })
  const forStudents = `This body looks like a student interest (it has city, interestLevel, idempotencyKey), which is another operation. Send it to ${STUDENT}`
  deepEqual([(await atSite()).status, (await atSite()).body], [400, { error: forStudents }])
  deepEqual((await atSite('?validateOnly=true')).body, { error: `${forStudents}?validateOnly=true` })

  const forSites = `This body looks like a site interest (it has company, address, website, startedAt), which is another operation. Send it to ${SITE}`
  const atLearn = await service.postStudent(aSite(), key)
  deepEqual([atLearn.status, atLearn.body], [400, { error: forSites }])
  await service.settle()
  deepEqual(service.sent, [])
})

test('a student form with fields of its own is not mistaken for a site interest', async t => {
  const service = await startApp(t)
  const own = { website: '', startedAt: 1, address: '1 Main Street' }
  equal((await service.postStudent(aStudent(own))).status, 200)
  equal((await service.postStudent(aStudent({ ...own, company: 'x', city: 'Waco' }))).status, 200)
})
