/** A service with an admin and a receiver, and destinations that the admin adds in the console. */
import { equal, match } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { PartialSettings } from '../../src/config/settings.ts'
import { everyEvent } from '../../src/leads/lead/lead-events.ts'
import type { Message } from '../../src/mail/transport/mailer.ts'
import { currentTestClock } from '../support/clock.ts'
import { type ConsoleClient, startConsole } from '../support/console.ts'
import type { Engine } from '../support/engines.ts'
import { type Sent, startReceiver } from './receiver.ts'

const env = { DESTINATION_NETWORKS: '127.0.0.0/8' }

type Options = {
  engine: Engine
  answer?: Parameters<typeof startReceiver>[1] | undefined
  settings?: PartialSettings
  mail?: (message: Message) => Promise<void>
}

export async function startWithReceiver(t: TestContext, { engine, answer, ...options }: Options) {
  const receiver = await startReceiver(t, answer)
  const service = await startConsole(t, { engine, env, clock: currentTestClock(), ...options })
  const admin = await service.client('admin')
  return { ...service, ...receiver, admin }
}

/** A form with these fields; one with several values has each. */
export const formOf = (fields: Record<string, string | readonly string[]>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, values]) => [values].flat().map(value => [name, String(value)])),
  )

export const webhookForm = (
  url: string,
  more: Record<string, string | readonly string[]> = {},
  events: readonly string[] = everyEvent,
) => formOf({ name: 'Records', url, kind: '', events, ...more })

/** Adds a webhook; returns its keys. */
export async function addWebhook(
  admin: ConsoleClient,
  url: string,
  more: Record<string, string | readonly string[]> = {},
  events?: readonly string[],
) {
  const { text, status } = await admin.post('/destinations/new/webhook', webhookForm(url, more, events))
  equal(status, 200)
  return keysOn(text)
}

/** Adds a destination of a kind without keys. */
export async function addOf(
  kind: string,
  admin: ConsoleClient,
  fields: Record<string, string | readonly string[]>,
): Promise<void> {
  const { text } = await admin.post(`/destinations/new/${kind}`, formOf({ name: 'Records', kind: '', ...fields }))
  match(text, /was added/)
}

export const keysOn = (text: string) => ({
  secret: /whsec_[\w+/=]+/.exec(text)?.[0] ?? '',
  publicKey: /whpk_[\w+/=]+/.exec(text)?.[0] ?? '',
})

export const typesOf = (received: readonly Sent[]) => received.map(({ event }) => event.type)
