/** What a cadence means for a month: the same invented people with the steps in force, and with a draft. */
import { html } from 'hono/html'
import { dateTimeFormat } from '../../content/date-format.ts'
import type { Cadence } from '../../follow-up/cadence.ts'
import type { Simulation } from '../../follow-up/simulate.ts'
import { assumptions } from '../../follow-up/simulated-people.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { share } from '../../leads/body/tidy-text.ts'
import { HOUR, MINUTE } from '../../platform/time.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'
import { simulateMonths } from './month-simulation.ts'

const DAYS = 30
const SEED = 1
const MOST_PEOPLE = 500

/** The number of people that the operator chose, limited to what a simulation can show in a moment. */
export const peopleOf = (text: string): number => Math.min(MOST_PEOPLE, Math.max(10, Math.floor(Number(text)) || 200))

/** The month in figures with the steps in force and, if the draft differs, with its steps beside them. */
export async function monthWith(
  { store, clock, settings, calendar }: ConsoleDeps,
  { kind, people, draft }: { kind: Kind; people: number; draft: Cadence | undefined },
): Promise<Html> {
  const firstDay = calendar.today(clock.now())
  const { school, admissions, followUp, languages } = settings
  const months = await simulateMonths({
    settings: { school, admissions, followUp, languages },
    kind,
    cadences: [followUp[kind], ...(draft === undefined ? [] : [draft])],
    leads: people,
    days: DAYS,
    firstDay,
    seed: SEED,
    absences: await store.listAbsences(firstDay),
  })
  if (months === undefined) return html`<p>The server was too busy to simulate a month. Try again in a moment.</p>`
  const rows = measures(kind, people, school).map(({ title, of }) => ({ title, values: months.map(of) }))
  const who = kind === 'site' ? 'sites' : 'students'
  return html`<p>${people} invented ${who} write in within ${DAYS} days from today${draft === undefined ? '' : ', the same in both cases'}.</p>
<div class="scroll"><table class="table simulated"><caption class="hidden">A simulated month</caption><thead><tr><th scope="col">In the month</th><th scope="col">In force</th>${draft === undefined ? '' : html`<th scope="col">Your draft</th>`}</tr></thead><tbody>${rows.map(
    ({ title, values: [now, ...then] }) =>
      html`<tr><th scope="row">${title}</th><td>${now}</td>${then.map(value => (value === now ? html`<td class="quiet">the same</td>` : html`<td><strong>${value}</strong></td>`))}</tr>`,
  )}</tbody></table></div>
<details><summary>What the simulation assumes</summary><p class="small">These are guesses about people, not figures from your school. They show what a change does, not how well it will work: reminders do not make anyone quicker here, and one email works as well as another.</p><ul class="small">${assumptions.map(text => html`<li>${text}</li>`)}</ul></details>`
}

type Measure = { title: string; of: (month: Simulation) => string }

function measures(kind: Kind, people: number, school: { country: string }): Measure[] {
  const withShare = (count: number) => `${count} (${share(count, people)})`
  const reminders: Measure[] = [
    { title: 'Reminders to the staff', of: ({ reminders }) => String(reminders.total) },
    { title: 'Reminders a day', of: ({ reminders: { median, max } }) => `mostly ${median}, at most ${max}` },
    { title: 'Hours of reminders', of: ({ hours }) => hoursInWords(hours.reminders, school) },
  ]
  const emails: Measure[] = [
    {
      title: 'Follow-up emails to a student',
      of: ({ letters: { sent } }) => (sent === 0 ? 'none' : `${sent} in all, ${(sent / people).toFixed(1)} on average`),
    },
    { title: 'Hours of emails, where the student lives', of: ({ hours }) => hoursInWords(hours.letters, school) },
    { title: 'Unsubscribed and then closed', of: ({ ends }) => withShare(ends['unsubscribed'] ?? 0) },
  ]
  const ends: Measure[] = [
    { title: 'Reached', of: ({ ends }) => withShare(ends['contacted'] ?? 0) },
    { title: 'Closed by the last step', of: ({ closed }) => withShare(closed.leads) },
    { title: 'Half of them closed within', of: ({ closed: { days } }) => (days === null ? '–' : `${days} days`) },
    { title: 'Still open after the last step', of: ({ ends }) => withShare(ends['new'] ?? 0) },
  ]
  return [...reminders, ...(kind === 'site' ? [] : emails), ...ends]
}

/** A time of the day, such as `20:00`, as people in that country write it: `8:00 PM`. */
export function timeInWords(time: string, { country }: { country: string }): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const format = dateTimeFormat(`en-${country}`, { timeStyle: 'short', timeZone: 'UTC' })
  return format.format(hours * HOUR + minutes * MINUTE).replaceAll('\u202f', ' ')
}

/** Such as `9:00 AM to 5:00 PM, most at 9:00 AM`: from the first hour with an email to the end of the last one. */
export function hoursInWords(hours: readonly number[], { country }: { country: string }): string {
  const busy = hours.flatMap((count, hour) => (count > 0 ? [hour] : []))
  const [first] = busy
  const last = busy.at(-1)
  if (first === undefined || last === undefined) return 'never'
  const inWords = (hour: number) => timeInWords(`${hour}:00`, { country })
  const most = hours.indexOf(Math.max(...hours))
  return `${inWords(first)} to ${inWords(last + 1)}, most at ${inWords(most)}`
}
