import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'

/** The problems, without the name of the file. */
const problemsOf = (settings: unknown): string[] =>
  checkSettings(settings).problems.map(problem => problem.replace(/^frontdesk\.config\.ts: /, ''))

const refused = (settings: unknown, ...expected: string[]) =>
  deepEqual(problemsOf(settings), expected)

describe('quiet hours', () => {
  test('must leave a time in common to all time zones of a state, built in or of one’s own', () => {
    const found = problemsOf({
      followUp: {
        quietHours: { from: '10:00', to: '09:00' },
        zones: { NSW: ['Australia/Sydney', 'Australia/Lord_Howe'], ON: ['America/Toronto'] },
      },
    })
    const common = 'followUp.quietHours must leave a time that is outside of them in all zones of'
    equal(found.includes(`${common} NV (America/Los_Angeles, America/Denver)`), true)
    equal(found.includes(`${common} KS, NE, SD, TX (America/Chicago, America/Denver)`), true)
    equal(
      found.some(problem => /NY|ON/.test(problem)),
      false,
    )
    equal(
      found.some(problem => problem.includes('NSW')),
      false,
    )
    equal(
      found.every(problem => problem.startsWith(common)),
      true,
    )
  })

  test('must leave one to zones of one’s own that lie apart', () => {
    refused(
      { followUp: { zones: { XX: ['America/New_York', 'Asia/Tokyo'] } } },
      'followUp.quietHours must leave a time that is outside of them in all zones of XX (America/New_York, Asia/Tokyo)',
    )
  })

  test('are fine as they are usual, and as short as they may be', () => {
    refused({ followUp: { quietHours: { from: '20:00', to: '09:00' } } })
    refused({ followUp: { quietHours: { from: '00:00', to: '00:00' } } })
  })
})

describe('the hours of the school', () => {
  test('must let it open some time', () => {
    const never = 'school.hours and school.holidays must let the school open at least once a year'
    const everyDay = Array.from({ length: 366 }, (_, day) =>
      new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(5, 10),
    )
    const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
    const hours = Object.fromEntries(days.map(day => [day, 'closed']))
    refused({ school: { hours } }, never)
    refused({ school: { holidays: everyDay } }, never)
    // In leap years alone, and on Mondays of December alone, which is enough.
    refused({ school: { holidays: everyDay.filter(day => day !== '02-29') } }, never)
    const december = everyDay.filter(day => !day.startsWith('12-'))
    refused({ school: { hours: { ...hours, monday: '09:00-17:00' }, holidays: december } })
  })
})

describe('time zones', () => {
  test('have names: an offset from UTC is none', () => {
    for (const timeZone of ['+05:37', '-0500', '+05', 'Mars/Olympus']) {
      refused(
        { school: { timeZone } },
        'school.timeZone is not a time zone (an example: America/Chicago)',
      )
      refused(
        { followUp: { zones: { XX: [timeZone] } } },
        `followUp.zones.XX: ${timeZone} is not a time zone`,
      )
    }
    for (const timeZone of ['Asia/Kathmandu', 'US/Central', 'UTC', 'Etc/GMT+5']) {
      refused({ school: { timeZone } })
    }
  })

  test('are those of states by their codes', () => {
    for (const code of ['texas', 'Tx', 'T', 'TEXA']) {
      refused(
        { followUp: { zones: { [code]: ['America/Chicago'] } } },
        `followUp.zones.${code} must be under a code of 2 or 3 capital letters`,
      )
    }
  })
})

describe('a counselor', () => {
  const counselor = (more: object) => ({
    admissions: { counselors: [{ id: 'kim', name: 'Kim', email: 'kim@school.example', ...more }] },
  })

  test('has states that there are', () => {
    refused(
      counselor({ states: ['TX', 'ZZ', 'ON'] }),
      'admissions.counselors[0].states: ZZ is the code of no state (more can be named in studentInterest.states)',
      'admissions.counselors[0].states: ON is the code of no state (more can be named in studentInterest.states)',
    )
    const states = { Ontario: 'ON' }
    refused({ ...counselor({ states: ['TX', 'ON'] }), studentInterest: { states } })
  })

  test('has an address that is known again however it is written', () => {
    const { settings } = checkSettings(counselor({ email: 'Kim@XN--MNCHEN-3YA.example' }))
    equal(settings.admissions.counselors[0]?.email, 'Kim@münchen.example')
    refused(counselor({ email: 12 }), 'admissions.counselors[0].email must be one e-mail address')
  })

  test('is absent on days that there are', () => {
    refused(
      counselor({ absent: [{ from: '2026-13-45', to: '2027-02-29' }] }),
      'admissions.counselors[0].absent[0].from must be a day such as 2026-12-24',
      'admissions.counselors[0].absent[0].to must be a day such as 2026-12-24',
    )
    for (const from of ['12-24', '2026-12-24T00:00', '']) {
      match(problemsOf(counselor({ absent: [{ from, to: '2026-12-24' }] })).join(), /must be a day/)
    }
    refused(counselor({ absent: [{ from: '2028-02-29', to: '2028-02-29' }] }))
  })
})

describe('a message of a cadence', () => {
  const letter = (message: string) => ({
    followUp: {
      student: [
        { name: 'a', after: '1 day', clock: 'student', to: 'student', channel: 'email', message },
      ],
    },
  })

  test('is a file inside of its folder', () => {
    for (const message of ['letters/../notifications/reminder.md', 'letters/..md', '../x.md']) {
      refused(
        letter(message),
        'followUp.student[0].message must be a file such as letters/day-1.md',
      )
    }
    refused(letter('letters/our.own/day-1.md'))
  })
})

describe('the learning site', () => {
  test('is asked in encrypted words, unless it is on this very machine', () => {
    const at = (url: string) => ({ accounts: { directory: 'http', url } })
    for (const url of [
      'http://learn.example.edu/x',
      'http://10.0.0.1/x',
      'http://localhost.evil/',
    ]) {
      refused(
        at(url),
        'accounts.url must begin with https://: addresses and the token would cross the network in clear',
      )
    }
    for (const url of [
      'https://learn.example.edu/x',
      'http://localhost:3001/x',
      'http://127.0.0.1/x',
      'http://[::1]:3001/x',
    ]) {
      refused(at(url))
    }
    refused(at('https://['), 'accounts.url must be an address')
  })

  test('is concealed only where somebody is asked at all', () => {
    refused(
      { accounts: { feedback: 'conceal' } },
      "accounts.feedback must be 'reveal' where accounts.directory is 'none': nobody is asked then",
    )
    refused({ accounts: { directory: 'table', feedback: 'conceal' } })
  })
})
