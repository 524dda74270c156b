/**
 * Counts how often each form was seen, begun and sent, without a cookie and without recording who it was. Counts are
 * added up in memory and stored a few seconds later, so that no request waits for them.
 */
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../platform/time.ts'
import { type FormEvent, formEvents } from '../store/insight/form-counts.ts'
import type { Store } from '../store/store.ts'

const SAVED_AFTER = 10 * SECOND

export class FormCounts {
  readonly #deps: FormCountServices
  #counts = new Map<string, Record<FormEvent, number>>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: FormCountServices) {
    this.#deps = deps
  }

  /** `form`: the name of a form that the school has. */
  count(form: string, event: FormEvent): void {
    const counts =
      this.#counts.get(form) ?? (Object.fromEntries(formEvents.map(one => [one, 0])) as Record<FormEvent, number>)
    counts[event]++
    this.#counts.set(form, counts)
    this.#timer ??= setTimeout(() => void this.save(), SAVED_AFTER).unref()
  }

  /** Stores what was counted since the last time, for the current day at the school. Never rejects. */
  async save(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { store, clock, config, log } = this.#deps
    const counts = this.#counts
    this.#counts = new Map()
    const { timeZone } = config.settings.school
    const day = Temporal.Instant.fromEpochMilliseconds(clock.now()).toZonedDateTimeISO(timeZone).toPlainDate()
    try {
      await store.addFormCounts([...counts].map(([form, count]) => ({ form, day: day.toString(), ...count })))
    } catch (error) {
      log.debug({ err: error }, 'counts of forms were not stored')
    }
  }
}

type FormCountServices = {
  store: Pick<Store, 'addFormCounts'>
  clock: Clock
  config: { settings: { school: { timeZone: string } } }
  log: Logger
}
