/** Arguments and options that several commands share, read from text. */
import { Option } from 'commander'
import type { Settings } from '../../config/settings.ts'
import { type EmailAddress, parseEmail } from '../../leads/body/email.ts'
import { DAY, HOUR, isDay, MINUTE } from '../../platform/time.ts'
import { CommandFailed } from './terminal.ts'

/** The option `--format`; the first format is the default. */
export const formatOption = (...formats: [string, ...string[]]): Option =>
  new Option('--format <format>', 'output format').choices(formats).default(formats[0])

/** Throws CommandFailed if the school does not write in this language. */
export function assertWritten(language: string, { languages }: Pick<Settings, 'languages'>): void {
  if (languages.includes(language)) return
  throw new CommandFailed(`"${language}" is not a language of the settings; use one of: ${languages.join(', ')}.`)
}

/** Reads a date, YYYY-MM-DD. Throws CommandFailed. */
export function parseDay(text: string): string {
  if (!isDay(text)) throw new CommandFailed(`"${text}" is not a date; use YYYY-MM-DD`)
  return text
}

/** The times that `parseTime` reads, for the help. */
export const TIME = '2026-11-21, 2026-11-21T08:00, 7d, 12h'

/**
 * Reads a date or time of ISO 8601, or a span back from now such as 7d or 12h. Without an offset, it is
 * a time at the school, and a date is the beginning of that day there. Throws CommandFailed.
 */
export function parseTime(text: string, now: number, timeZone: string): number {
  const span = text.match(/^(\d{1,4})([dhm])$/)
  if (span) return now - Number(span[1]) * { d: DAY, h: HOUR, m: MINUTE }[span[2] as 'd' | 'h' | 'm']
  try {
    return /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.slice('2026-11-21'.length))
      ? Temporal.Instant.from(text).epochMilliseconds
      : Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds
  } catch {
    throw new CommandFailed(
      `"${text}" is not a time; use 2026-11-21, 2026-11-21T08:00, 2026-11-21T08:00Z, 7d, 12h or 30m`,
    )
  }
}

/** Reads an id as the tables print it. Throws CommandFailed. */
export function parseId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new CommandFailed(`"${text}" is not a valid id`)
  return Number(text)
}

/** Reads a whole number from 1 to `most`; `what` names it in the message. Throws CommandFailed. */
export function parseLimit(text: string, what = 'number of rows', most = 9_999_999): number {
  const number = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined
  if (number === undefined || number > most) {
    throw new CommandFailed(`"${text}" is not a valid ${what}; use a whole number from 1 to ${most}`)
  }
  return number
}

/** Reads an email address. Throws CommandFailed. */
export function parseAddress(text: string): EmailAddress {
  const address = parseEmail(text)
  if (address === undefined) throw new CommandFailed(`"${text}" is not a valid email address`)
  return address
}
