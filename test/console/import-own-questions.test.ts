/** Lists with answers to the school's own questions: an export imports again to the same answers, and so do other lists. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readFormDetails } from '../../src/leads/body/form-details.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asForm, readable, typed } from '../support/forms.ts'
import { aSchool, counselors, MONDAY } from '../tasks/school.ts'

/** What a manager types. The words make it hard to tell the answers apart. */
const form = {
  kind: 'student',
  name: 'open-day',
  'own-count': '6',
  'own-0-id': 'q1',
  'own-0-label-en': 'Best time to call',
  'own-0-label-es': 'Mejor hora',
  'own-0-type': 'time',
  'own-1-id': 'q2',
  'own-1-label-en': 'Which campus?',
  'own-1-label-es': '¿En qué plantel?',
  'own-1-type': 'campus',
  'own-1-choices-en': 'Austin\nDallas: North',
  'own-1-choices-es': 'Austin\nDallas: Norte',
  'own-2-id': 'q3',
  'own-2-label-en': 'Classes',
  'own-2-type': 'choices',
  'own-2-choices-en': 'Days; nights, too\nWeekends, online\nDays',
  'own-3-id': 'q4',
  'own-3-label-en': 'Classes: why?',
  'own-3-type': 'text',
  'own-4-id': 'q5',
  'own-4-label-en': 'Do you have a GED?',
  'own-4-type': 'yesno',
  'own-5-id': 'q6',
  'own-5-label-en': 'When could you start?',
  'own-5-type': 'date',
}

const SAM_IN_DALLAS = {
  ...aSchool,
  admissions: {
    ...aSchool.admissions,
    counselors: counselors.map(one => (one.id === 'sam' ? { ...one, campuses: ['Dallas: North'] } : one)),
  },
}

async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, edits: true, settings: SAM_IN_DALLAS, clock: testClock(MONDAY) })
  const manager = await service.client('manager')
  equal((await manager.post('/forms/new', form)).path, '/forms/embed/open-day')
  const upload = async (bytes: string) => {
    const body = new FormData()
    body.set('file', new File([bytes], 'leads.csv'))
    const headers = { origin: service.origin.console }
    const response = await manager.fetch('/import', { method: 'POST', headers, body })
    equal(response.status, 303, readable(await response.text()).slice(-900))
    return response.headers.get('location') ?? ''
  }
  /** Sends the form of a page as it stands. */
  const check = async (path: string, over: Record<string, string> = {}) => {
    const chosen = chosenOn((await manager.get(path)).text)
    await manager.post(`${path}/check`, { kind: 'student', source: 'Other school', ...chosen, ...over })
    await service.settle()
    return (await manager.get(path)).text
  }
  const start = async (path: string) => {
    await manager.post(`${path}/start`)
    await service.settle()
  }
  /** What is stored about a person: their lead, what stands beside their inquiry, and its message. */
  const about = async (email: string) => {
    const [lead] = await service.app.store.findLeadsOf(email)
    const [row] = await sql(service.database, `select form, body from submissions where email = '${email}'`)
    const form = readFormDetails(String(row?.['form']))
    return { lead, form, message: JSON.parse(String(row?.['body'])).message as string | undefined }
  }
  return { ...service, manager, upload, check, start, about }
}

/** What each column is read as on a page. */
const chosenOn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<select id="(column-\d+)".*?<\/select>/gs)].map(([select, name = '']) => [
      name,
      /<option value="([^"]*)" selected>/.exec(select)?.[1] ?? '',
    ]),
  )

onEachEngine(engine => {
  test('an export with answers to own questions imports again to the same answers', async t => {
    const here = await aDesk(t, engine)
    const url = `${here.origin.learn}/forms/open-day`
    const people = [
      {
        email: 'one@mail.example',
        'own-q1': 'Evening',
        'own-q2': 'Dallas: North',
        'own-q3-0': 'x',
        'own-q3-1': 'x',
        'own-q4': '=More; Which campus?: Austin, "really"',
        'own-q5': 'No',
        'own-q6': '2031-02-28',
      },
      { email: 'two@mail.example', 'own-q3-1': 'x', 'own-q3-2': 'x', 'own-q4': 'Do you have a GED?: No' },
      { email: 'three@mail.example' },
    ]
    for (const values of people) {
      const open = await asForm(here, url, await here.request(url, { headers: { Accept: 'text/html' } }))
      here.clock.advance(MINUTE)
      equal((await open.send(typed('student', values))).status, 303)
    }
    await here.settle()
    const csv = await (await here.manager.fetch('/export/leads.csv')).text()

    const there = await aDesk(t, engine)
    const path = await there.upload(csv)
    match(await there.check(path), /Will be new leads<\/dt><dd>3</)
    await there.start(path)
    for (const { email } of people) {
      const answersIn = async ({ about }: typeof here) => {
        const { lead, form } = await about(email)
        const { answers, bestTime, campus } = form ?? {}
        return { answers, bestTime, campus, lead: [lead?.bestTime, lead?.campus, lead?.owner] }
      }
      const [before, after] = [await answersIn(here), await answersIn(there)]
      if (email === 'one@mail.example')
        deepEqual([before.answers?.length, before.lead], [6, ['evening', 'Dallas: North', 'sam']])
      deepEqual(after, before, email)
    }
  })

  test('any list answers own questions by its headers, and what is not an answer is asked about, each once', async t => {
    const { manager, upload, check, start, about, settle } = await aDesk(t, engine)
    const path = await upload(`Name,Email,Mejor hora,¿En qué plantel?,Classes,Do you have a GED?,When could you start?
Ana Ruiz,ana@mail.example,en la tarde,dallas norte,weekends online | Days,sí,3/1/2031
Ben Lee,ben@mail.example,lunch,Houston,"Days,Saturdays",maybe,soon
`)
    deepEqual(chosenOn((await manager.get(path)).text), {
      'column-0': 'fullName',
      'column-1': 'email',
      'column-2': 'bestTime',
      'column-3': 'campus',
      'column-4': 'answer:Classes',
      'column-5': 'answer:Do you have a GED?',
      'column-6': 'answer:When could you start?',
    })
    const text = await check(path)
    match(text, /What lunch means/)
    match(readable(text), /¿En qué plantel\?: Houston 1 .*Classes: Saturdays 1 .*Do you have a GED\?: maybe/)
    match(readable(text), /When could you start\?: soon This is not a date, such as 2026-10-03\./)
    const asked = [...text.matchAll(/name="(field-\d+)" value="([^"]*)".*?name="(words-\d+)" value="([^"]*)"/g)]
    const means: Record<string, string> = { Saturdays: 'Weekends, online', maybe: 'No', lunch: 'afternoon' }
    const said = asked.flatMap(([, field = '', of = '', words = '', value = '']) => [
      [field, of],
      [words, value],
      [field.replace('field', 'meaning'), means[value] ?? ''],
    ])
    await manager.post(`${path}/meanings`, Object.fromEntries(said))
    await settle()
    await start(path)
    const of = async (email: string) => {
      const { lead, form, message } = await about(email)
      const answers = form?.answers?.map(one => `${one.question} ${one.answer}`)
      return [lead?.bestTime, lead?.campus, answers, message]
    }
    deepEqual(await of('ana@mail.example'), [
      'afternoon',
      'Dallas: North',
      [
        'Best time to call Afternoon',
        'Which campus? Dallas: North',
        'Classes Weekends, online; Days',
        'Do you have a GED? Yes',
        'When could you start? 2031-03-01',
      ],
      undefined,
    ])
    deepEqual(await of('ben@mail.example'), [
      'afternoon',
      null,
      ['Best time to call Afternoon', 'Classes Weekends, online; Days', 'Do you have a GED? No'],
      '¿En qué plantel?: Houston\nWhen could you start?: soon',
    ])
  })
})
