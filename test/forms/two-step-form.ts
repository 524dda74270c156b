/** A form in two steps as a manager makes it, and the person who fills it in. */
import { equal } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { PartialSettings } from '../../src/config/settings.ts'
import { startConsole } from '../support/console.ts'
import type { Engine } from '../support/engines.ts'
import { asForm, type OpenForm, typed } from '../support/forms.ts'

export const NAME = 'austin'

/** Campus in the first step; the message, the shift and a question that follows from the campus in the second. */
export const twoSteps = {
  kind: 'student',
  name: NAME,
  order: 'state city message',
  'ask-state': 'optional',
  'ask-city': 'optional',
  'ask-message': 'optional',
  steps: 'on',
  'own-count': '3',
  'own-0-id': 'q1',
  'own-0-label-en': 'Which campus?',
  'own-0-type': 'campus',
  'own-0-choices-en': 'Austin\r\nDallas North',
  'own-1-id': 'q2',
  'own-1-label-en': 'Which shift?',
  'own-1-type': 'choice',
  'own-1-answer': 'required',
  'own-1-choices-en': 'Day\r\nNight',
  'own-2-id': 'q3',
  'own-2-label-en': 'Do you need a place in our dorm?',
  'own-2-type': 'yesno',
  'own-2-if': 'q1=Dallas North',
  'prefill-message': 'on',
}

/** What is typed in each step. */
export const first = { 'own-q1': 'Austin', state: 'TX', message: undefined } as unknown as Record<string, string>
export const rest = { city: 'Round Rock', message: 'Is there parking?', 'own-q2': 'Night' }

export async function aTwoStepForm(t: TestContext, engine: Engine = 'sqlite', settings: PartialSettings = {}) {
  const service = await startConsole(t, { engine, edits: true, settings })
  const manager = await service.client('manager')
  equal((await manager.post('/forms/new', twoSteps)).path, `/forms/embed/${NAME}`)
  const url = `${service.origin.learn}/forms/${NAME}`
  const at = async (path: string, headers = {}) => {
    const where = new URL(path, url).href
    return asForm(service, where, await service.request(where, { headers: { Accept: 'text/html', ...headers } }))
  }
  /** Sends the first step, and opens the second. */
  const begin = async (values: Record<string, string> = {}, query = ''): Promise<OpenForm> => {
    const sent = await (await at(`${url}${query}`)).send(typed('student', { ...first, ...values }))
    equal(sent.status, 303)
    return at(sent.headers.get('location') ?? '')
  }
  return { ...service, manager, url, at, begin }
}
