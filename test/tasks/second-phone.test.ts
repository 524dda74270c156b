/** Anyone can write in under a person's address: their phone number stands beside the others, and none replaces it. */
import { deepEqual, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { onEachEngine } from '../support/engines.ts'
import { ben, linkIn, startSchool } from './school.ts'

const THEIRS = '512-555-0199'
const [ONE, TWO] = ['(512) 555-0111', '+1 737 555 0122']

onEachEngine(engine => {
  describe('the numbers of one person', () => {
    test('are all in the emails to the staff and on the page, each with when it came', async t => {
      const school = await startSchool(t, { engine })
      for (const [index, phone] of [ONE, THEIRS, TWO, '+1 (512) 555 0199'].entries()) {
        await school.postStudent(ben({ phone, message: `Inquiry ${index}` }))
        await school.settle()
        school.clock.advance(HOUR)
      }
      const texts = school.sent.filter(({ id }) => id.startsWith('notify')).map(({ text }) => text.replace(/\s+/g, ' '))
      match(
        texts[1] ?? '',
        /Call \(512\) 555-0199 Also given for Ben Okafor: \(512\) 555-0111 \(today, .*The number above came on Monday, November 23/,
      )
      match(texts[2] ?? '', /Call \(737\) 555-0122 Also given .*\(512\) 555-0111 .*, \(512\) 555-0199 /)
      match(texts[3] ?? '', /Call \(512\) 555-0199 Also given .*\(512\) 555-0111 .*, \(737\) 555-0122 /)
      await school.until(school.clock.now() + 10 * MINUTE)
      const reminder = school.sent.findLast(({ subject }) => subject.startsWith('Reminder:'))
      match(reminder?.text.replace(/\s+/g, ' ') ?? '', /Also given for Ben Okafor: \(512\) 555-0111 /)

      const { text } = await school.request(linkIn(school, 'maria', 'Open the lead'))
      match(text, />Call \(512\) 555-0111</)
      match(text, /This number came with the first inquiry, on Monday, November 23/)
      match(text, /gave <a href="tel:\+15125550199">\(512\) 555-0199<\/a> on Monday.*<a href="tel:\+17375550122">/)
      deepEqual(
        (
          await school.app.store.readPhones({ id: 1, phone: ONE, createdAt: 1, correctedAt: null, mergedInto: null })
        ).map(({ phone }) => phone),
        [ONE, THEIRS, TWO],
      )
    })

    test('are at most four, with the first and the latest, however many someone sends', async t => {
      const school = await startSchool(t, { engine })
      for (let i = 0; i < 9; i++) {
        await school.postStudent(ben({ phone: `512-555-010${i}` }))
        await school.settle()
        school.clock.advance(HOUR)
      }
      const phones = await school.app.store.readPhones({
        id: 1,
        phone: '512-555-0100',
        createdAt: 1,
        correctedAt: null,
        mergedInto: null,
      })
      deepEqual(
        phones.map(({ phone }) => phone.at(-1)),
        ['0', '6', '7', '8'],
      )
    })
  })
})
