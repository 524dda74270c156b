/** The parts of the settings that are edited in the console: what is in force, and what is said about it. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { buildConfig } from '../../src/config/config.ts'
import { checkEdited } from '../../src/config/edited-parts.ts'
import { putInForce, readInForce } from '../../src/config/edited-settings.ts'
import { editionNotes } from '../../src/config/edition-notes.ts'
import { checkSettings } from '../../src/config/settings.ts'

const kim = { id: 'kim', name: 'Kim Lee', email: 'kim@school.example' }
const jo = { id: 'jo', name: 'Jo Park', email: 'jo@school.example' }
const dana = { name: 'Dana Kim', email: 'dana@school.example' }

const configWith = (settings: object = {}) => buildConfig({}, checkSettings(settings))

const version = (id: number, part: string, value: unknown) => ({
  id,
  part,
  value,
  createdAt: Date.parse('2026-11-22T03:00:00Z'),
  createdBy: 'Dana Kim',
})

test('an edit changes the settings in force in place, and the settings file again after it', () => {
  const config = configWith({ admissions: { counselors: [kim], manager: dana } })
  const { admissions, followUp } = config.settings
  putInForce(config, [version(3, 'team', { counselors: [jo] })])
  deepEqual(admissions.counselors, [jo])
  equal(admissions.manager, undefined)
  equal(followUp.student.length, 7)
  putInForce(config, [version(3, 'team', { counselors: [jo] }), version(4, 'cadence', { student: [], site: [] })])
  equal(followUp.student.length, 0)
  equal(followUp.quietHours.from, '20:00')
  putInForce(config, [version(5, 'team', null), version(6, 'cadence', null)])
  deepEqual([admissions.counselors, admissions.manager], [[kim], dana])
  equal(followUp.student.length, 7)
  equal(config.settings.admissions, admissions)
})

test('those who were on the team in any version, or are in the settings file, keep their names', async () => {
  const config = configWith({ admissions: { counselors: [kim], manager: dana } })
  const versions = [
    version(1, 'team', { counselors: [jo, kim], manager: dana }),
    version(2, 'team', { counselors: [{ ...jo, name: 'Jo Lane' }] }),
    version(3, 'team', { counselors: [] }),
    version(4, 'team', null),
  ]
  const newest = (count: number) => versions.slice(0, count).reverse()
  const formerAfter = async (count: number) => {
    await readInForce(
      {
        currentEditedSettings: async () => ({ versions: newest(count).slice(0, 1), operators: [] }),
        listEditedSettings: async () => newest(count),
        readSchoolFile: async () => undefined,
      },
      config,
    )
    return config.settings.admissions.former?.map(({ id, name }) => `${id} ${name}`)
  }
  equal(await formerAfter(0), undefined)
  deepEqual(await formerAfter(1), [])
  deepEqual(await formerAfter(2), ['kim Kim Lee', 'manager Dana Kim'])
  deepEqual(await formerAfter(3), ['jo Jo Lane', 'kim Kim Lee', 'manager Dana Kim'])
  deepEqual(await formerAfter(4), ['jo Jo Lane'])
})

test('one service that is edited changes nothing of another, even where both have only defaults', () => {
  const [one, other] = [configWith(), configWith()]
  putInForce(one, [version(1, 'team', { counselors: [jo] })])
  deepEqual(other.settings.admissions.counselors, [])
  deepEqual(configWith().settings.admissions.counselors, [])
})

test('a part is checked as the settings file is, with the same sentences', () => {
  const { settings } = configWith()
  const problems = (part: 'team' | 'cadence', value: unknown) => checkEdited(part, value, settings).problems
  deepEqual(problems('team', { counselors: [kim, { ...jo, backup: 'kim' }], manager: dana }), [])
  deepEqual(problems('team', { counselors: [{ ...kim, email: 'kim' }] }), [
    'admissions.counselors[0].email must be one email address',
  ])
  deepEqual(problems('team', { counselors: [{ ...kim, states: ['ZZ'], backup: 'jo' }] }), [
    'admissions.counselors[0].backup must be the id of another counselor',
    'admissions.counselors[0].states: ZZ is not the code of a known state; add it to studentInterest.states',
  ])
  match(problems('team', 'no team').join(), /^admissions must be an object/)
  const step = { name: 'x', after: 'soon', clock: 'school', close: 'no reply' }
  match(problems('cadence', { student: [step], site: [] }).join(), /^followUp\.student: /)
  match(problems('cadence', { student: [], site: [], zones: {} }).join(), /followUp\.zones is not a setting/)
})

test('a check says when a part was edited, who did it, and what is wrong with it since', () => {
  const config = configWith({ studentInterest: { states: { Ontario: 'ON' } } })
  const ontario = version(1, 'team', { counselors: [{ ...kim, states: ['ON'] }] })
  putInForce(config, [ontario])
  deepEqual(editionNotes(config), [
    'The team is edited in the console (last on November 21, 2026 by Dana Kim). What the settings file says about admissions is not in force.',
  ])
  const later = configWith()
  putInForce(later, [ontario])
  deepEqual(
    later.settings.admissions.counselors.map(({ id }) => id),
    ['kim'],
  )
  match(editionNotes(later)[1] ?? '', /^The team, as edited in the console: .*ON is not the code of/)
  putInForce(later, [version(2, 'team', null)])
  deepEqual(editionNotes(later), [])
})

test('what another version of Frontdesk saved, and this one does not understand, leaves the settings file in force', () => {
  const config = configWith({ admissions: { counselors: [kim] } })
  putInForce(config, [version(1, 'team', { counselors: [{ ...jo, mood: 'fine' }] })])
  deepEqual(config.settings.admissions.counselors, [kim])
  match(editionNotes(config)[0] ?? '', /cannot be used, so the settings file is in force: .*mood is not a setting/)
})

test('a logo whose URL cannot be used leaves the settings file in force, so that the service starts', () => {
  for (const host of [':80', 'a.example;sandbox']) {
    const config = configWith({ school: { name: 'Lakeside School' } })
    const brand = { color: '#7a1f3d', logo: `https://${host}/logo.png` }
    putInForce(config, [version(1, 'brand', { name: 'Lakeside', brand })])
    equal(config.settings.school.brand.color, '#0a6070')
    match(editionNotes(config)[0] ?? '', /cannot be used, so the settings file is in force: .*an https:\/\/ URL or/)
  }
})
