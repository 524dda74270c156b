import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { createLog } from '../../src/platform/log.ts'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { keepSchedulingWeeklyMail } from '../../src/tasks/weekly-mail.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, startSchool } from './school.ts'

onEachEngine(engine => {
  test('the mail of a week is scheduled a minute later if the database is away at the start', async t => {
    const { app, clock } = await startSchool(t, { engine })
    const scheduled: string[] = []
    let away = true
    const store = {
      ...app.store,
      addReport: async (report: Parameters<typeof app.store.addReport>[0]) => {
        await app.store.addReport(report)
        scheduled.push('report')
      },
      addUnattendedMail: async (mail: Parameters<typeof app.store.addUnattendedMail>[0]) => {
        if (away) throw new Error('The database is not available')
        await app.store.addUnattendedMail(mail)
        scheduled.push(`unattended ${mail.kind}`)
      },
    }
    const lines: string[] = []
    const waits: number[] = []
    const over = new AbortController()
    await keepSchedulingWeeklyMail(
      {
        store,
        clock,
        calendar: createCalendar(checkSettings(aSchool).settings),
        log: createLog('info', { write: line => lines.push(line) }),
        wait: async time => {
          waits.push(time)
          away = false
          if (waits.length === 2) over.abort()
        },
      },
      over.signal,
    )
    deepEqual(waits, [MINUTE, HOUR])
    // Both are scheduled at once, so either may be first.
    deepEqual(scheduled.toSorted(), ['report', 'report', 'unattended site', 'unattended student'])
    equal(lines.length, 1)
  })
})
