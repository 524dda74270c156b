import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { editedFormNotes, formNotes } from '../../src/config/form-notes.ts'
import type { SchoolForm } from '../../src/config/school-form.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { clickIds } from '../../src/leads/body/form-details.ts'

/** The problems, without the name of the file. */
const problemsOf = (settings: unknown): string[] =>
  checkSettings(settings).problems.map(problem => problem.replace(/^frontdesk\.config\.ts: /, ''))

/** Expects these problems and no others; none if no sentence is given. */
const expectProblems = (settings: unknown, ...expected: string[]) => deepEqual(problemsOf(settings), expected)

describe('quiet hours', () => {
  test('must leave a time of day common to all time zones of a state, built in or not', () => {
    const found = problemsOf({
      followUp: {
        quietHours: { from: '10:00', to: '09:00' },
        zones: { NSW: ['Australia/Sydney', 'Australia/Lord_Howe'], ON: ['America/Toronto'] },
      },
    })
    const common = 'followUp.quietHours must be shorter: they leave no time of day at which a student in'
    const end = 'may be emailed'
    equal(found.includes(`${common} NV (America/Los_Angeles, America/Denver) ${end}`), true)
    equal(found.includes(`${common} KS, NE, SD, TX (America/Chicago, America/Denver) ${end}`), true)
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

  test('must leave a time of day common to the zones that the settings name, far apart as they may be', () => {
    expectProblems(
      { followUp: { zones: { XX: ['America/New_York', 'Asia/Tokyo'] } } },
      'followUp.quietHours must be shorter: they leave no time of day at which a student in XX (America/New_York, Asia/Tokyo) may be emailed',
    )
  })

  test('may be as usual, or empty', () => {
    expectProblems({ followUp: { quietHours: { from: '20:00', to: '09:00' } } })
    expectProblems({ followUp: { quietHours: { from: '00:00', to: '00:00' } } })
  })
})

describe('the hours of the school', () => {
  test('must let it open sometimes', () => {
    const never = 'school.hours and school.holidays must let the school open at least once a year'
    const everyDay = Array.from({ length: 366 }, (_, day) =>
      new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(5, 10),
    )
    const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
    const hours = Object.fromEntries(days.map(day => [day, 'closed']))
    expectProblems({ school: { hours } }, never)
    expectProblems({ school: { holidays: everyDay } }, never)
    // In leap years alone, and on Mondays of December alone, which is enough.
    expectProblems({ school: { holidays: everyDay.filter(day => day !== '02-29') } }, never)
    const december = everyDay.filter(day => !day.startsWith('12-'))
    expectProblems({ school: { hours: { ...hours, monday: '09:00-17:00' }, holidays: december } })
  })
})

describe('time zones', () => {
  test('are names, not offsets from UTC', () => {
    for (const timeZone of ['+05:37', '-0500', '+05', 'Mars/Olympus']) {
      expectProblems({ school: { timeZone } }, 'school.timeZone must be a time zone such as America/Chicago')
      expectProblems(
        { followUp: { zones: { XX: [timeZone] } } },
        `followUp.zones.XX: '${timeZone}' is not a time zone such as America/Chicago`,
      )
    }
    for (const timeZone of ['Asia/Kathmandu', 'US/Central', 'UTC', 'Etc/GMT+5']) {
      expectProblems({ school: { timeZone } })
    }
  })

  test('are not abbreviations, and a guess says what may be meant', () => {
    const guesses = {
      CST: 'America/Chicago',
      pst: 'America/Los_Angeles',
      EST: 'America/New_York',
      IST: 'Asia/Kolkata',
      'America/Chigaco': 'America/Chicago',
    }
    for (const [timeZone, meant] of Object.entries(guesses)) {
      expectProblems(
        { school: { timeZone } },
        `school.timeZone must be a time zone such as America/Chicago (did you mean ${meant}?)`,
      )
    }
    expectProblems(
      { followUp: { zones: { XX: ['MST'] } } },
      "followUp.zones.XX: 'MST' is not a time zone such as America/Chicago (did you mean America/Denver?)",
    )
  })

  test('belong to states by their codes', () => {
    for (const code of ['texas', 'Tx', 'T', 'TEXA']) {
      expectProblems(
        { followUp: { zones: { [code]: ['America/Chicago'] } } },
        `followUp.zones: the name "${code}" must be a code of 2 or 3 capital letters`,
      )
    }
  })
})

describe('a counselor', () => {
  const counselor = (more: object) => ({
    admissions: { counselors: [{ id: 'kim', name: 'Kim', email: 'kim@school.example', ...more }] },
  })

  test('has only known states', () => {
    expectProblems(
      counselor({ states: ['TX', 'ZZ', 'ON'] }),
      'admissions.counselors[0].states: ZZ is not the code of a known state; add it to studentInterest.states',
      'admissions.counselors[0].states: ON is not the code of a known state; add it to studentInterest.states',
    )
    const states = { Ontario: 'ON' }
    expectProblems({ ...counselor({ states: ['TX', 'ON'] }), studentInterest: { states } })
  })

  test('has an email address, which is stored in one form however it is written', () => {
    const { settings } = checkSettings(counselor({ email: 'Kim@XN--MNCHEN-3YA.example' }))
    equal(settings.admissions.counselors[0]?.email, 'Kim@münchen.example')
    expectProblems(counselor({ email: 12 }), 'admissions.counselors[0].email must be one email address')
  })

  test('is absent on days that exist', () => {
    expectProblems(
      counselor({ absent: [{ from: '2026-13-45', to: '2027-02-29' }] }),
      'admissions.counselors[0].absent[0].from must be a date such as 2026-12-24',
      'admissions.counselors[0].absent[0].to must be a date such as 2026-12-24',
    )
    for (const from of ['12-24', '2026-12-24T00:00', '']) {
      match(problemsOf(counselor({ absent: [{ from, to: '2026-12-24' }] })).join(), /must be a date/)
    }
    expectProblems(counselor({ absent: [{ from: '2028-02-29', to: '2028-02-29' }] }))
  })
})

describe('a message of a cadence', () => {
  const letter = (message: string) => ({
    followUp: { student: [{ name: 'a', after: '1 day', clock: 'student', to: 'student', message }] },
  })

  test('is a file inside its folder', () => {
    for (const message of ['letters/../notifications/reminder.md', 'letters/..md', '../x.md']) {
      expectProblems(letter(message), 'followUp.student[0].message must be a file such as letters/day-1.md')
    }
    expectProblems(letter('letters/our.own/day-1.md'))
  })
})

describe('the learning site', () => {
  test('is asked over https, unless it runs on this machine', () => {
    const at = (url: string) => ({ accounts: { directory: 'http', url } })
    for (const url of ['http://learn.example.edu/x', 'http://10.0.0.1/x', 'http://localhost.evil/']) {
      expectProblems(
        at(url),
        'accounts.url must begin with https://, or email addresses and the token would cross the network unencrypted',
      )
    }
    for (const url of [
      'https://learn.example.edu/x',
      'http://localhost:3001/x',
      'http://127.0.0.1/x',
      'http://[::1]:3001/x',
    ]) {
      expectProblems(at(url))
    }
    expectProblems(at('https://['), 'accounts.url must be a valid URL')
  })

  test('allows concealing only if there is a directory', () => {
    expectProblems(
      { accounts: { feedback: 'conceal' } },
      "accounts.feedback must be 'reveal' while accounts.directory is 'none', because we then ask no one about accounts",
    )
    expectProblems({ accounts: { directory: 'table', feedback: 'conceal' } })
  })
})

describe('the forms', () => {
  test('lead to URLs that exist, and have a label for each answer of a question', () => {
    const allowed = ['1 - Soon', '2 - Later']
    const asked = (es: string[]) => ({ answers: { timeline: { allowed, labels: { es } } } })
    expectProblems({ studentInterest: asked(['Pronto', 'Más tarde']) })
    expectProblems(
      { forms: { student: { sentUrl: 'https://:80' }, embedOn: ['https://a.example'] } },
      'forms.student.sentUrl must be a URL such as https://www.example.edu/thank-you',
    )
    expectProblems(
      { studentInterest: asked(['Pronto']) },
      'studentInterest.answers.timeline.labels.es must have 2 lines, one for each answer, and has 1',
    )
  })

  test('say what may stand in place of what does not fit', () => {
    expectProblems(
      {
        studentInterest: { answers: { source: { allowed: ['1 - A friend'], labels: { es: ['1 - Un amigo'] } } } },
        forms: {
          student: { consent: { link: 'https://:80' } },
          site: { consent: 'yes' },
          embedOn: 'https://a.example',
        },
      },
      'studentInterest.answers.source.labels.es[0] must be the label without its digit, such as "Comparing schools"',
      'forms.student.consent.link must be a URL such as https://www.example.edu/text-messages',
      "forms.site.consent must be 'none' or an object with text and link, such as {} for our text",
      "forms.embedOn must be 'any' or a list such as ['https://www.example.edu']",
    )
  })

  test('let a school keep clicks on ads only, and no field of a form that a page could fill in for a person', () => {
    const { settings } = checkSettings({ forms: { clickIds: ['gclid', 'ScCid'] } })
    deepEqual(settings.forms.clickIds, ['gclid', 'ScCid'])
    for (const name of ['consent', 'email', 'lang'])
      expectProblems(
        { forms: { clickIds: [name] } },
        `forms.clickIds[0] must be ${clickIds.map(one => `'${one}'`).join(' or ')}`,
      )
  })

  test('that managers made are noted where a language lacks words of theirs, consent above all', () => {
    const { settings } = checkSettings({ languages: ['en', 'es'] })
    const form: SchoolForm = { name: 'open-day', kind: 'student', questions: [] }
    const notes = (changes: Partial<SchoolForm>) =>
      editedFormNotes({ ...settings, schoolForms: [{ ...form, ...changes }] })
    deepEqual(notes({}), [])
    const lacks = 'has no text in Spanish: people who chose Spanish read it in another language.'
    deepEqual(notes({ title: { en: 'Open day', es: 'Día abierto' }, consent: 'You may call me.' }), [
      `Form open-day: its consent ${lacks}`,
    ])
    deepEqual(
      notes({
        own: [
          { id: 'q1', label: 'When?', type: 'choice', answer: 'optional', choices: ['Soon', { en: 'No', es: 'No' }] },
          { id: 'q2', label: { en: 'Where?', es: '¿Dónde?' }, type: 'campus', answer: 'optional', choices: ['A', 'B'] },
        ],
      }),
      [`Form open-day: its question "When?" ${lacks}`, `Form open-day: its answer "Soon" ${lacks}`],
    )
    deepEqual(notes({ consent: 'You may call me.', state: 'archived' }), [])
  })

  test('are noted where a language lacks a text, or a required question has no answers', () => {
    const notes = (forms: unknown, answers: unknown = {}, languages = ['en', 'es']) =>
      formNotes(checkSettings({ languages, forms, studentInterest: { answers } }).settings)
    deepEqual(notes({}), [])
    const student = {
      title: { en: 'Ask us', es: 'Pregúntanos' },
      introduction: { en: 'Hello', sp: 'Hola' },
      consent: { text: 'You may call me.' },
    }
    const other = 'in Spanish: people who chose Spanish read it in another language.'
    deepEqual(notes({ student }), [
      'forms.student.introduction has no text in Spanish: people who chose Spanish read the words that come with Frontdesk.',
      "forms.student.introduction has a text for 'sp', which languages does not name.",
      `forms.student.consent.text has no text ${other}`,
    ])
    deepEqual(notes({ student: { sent: 'Thank you!' } }, {}, ['en']), [])
    const timeline = { allowed: ['1 - Soon'], labels: { es: ['Pronto'] } }
    deepEqual(
      notes(
        { student: { fields: { experience: 'required', source: 'hidden' } } },
        { timeline, interestLevel: { allowed: ['1 - Yes'] }, source: { allowed: ['1 - Web'] } },
      ),
      [
        `studentInterest.answers.interestLevel.labels has no text ${other}`,
        "forms.student.fields.experience is 'required', but studentInterest.answers.experience lists no answers: the form does not ask it.",
      ],
    )
  })
})
