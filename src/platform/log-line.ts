/** A line of the log for a person at a terminal. */

/** Fields that are in every line, or that mean nothing to a person who watches a single process. */
const LEFT_OUT = ['level', 'time', 'pid', 'hostname', 'msg', 'err']

const levels: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }

/**
 * `15:25:07 warn  a message was not sent  task=17 reason="421 try later"`, in the time zone of this
 * process. A line that is not JSON stays as it is.
 */
export function plainLine(json: string): string {
  let line: Record<string, unknown>
  try {
    line = JSON.parse(json)
  } catch {
    return json
  }
  const { level, time, msg, err } = line as { level: number; time: number; msg?: string; err?: Cause }
  const fields = Object.entries(line)
    .filter(([name]) => !LEFT_OUT.includes(name))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const clock = new Date(time).toTimeString().slice(0, 8)
  const head = `${clock} ${(levels[level] ?? String(level)).padEnd(5)} ${msg ?? ''}`
  return `${[head, fields.join(' '), err && causes(err)].filter(Boolean).join('  ')}\n`
}

type Cause = { message?: string; stack?: string; cause?: Cause }

function causes({ message, stack, cause }: Cause): string {
  const own = `\n  ${stack ?? message}`
  return cause === undefined ? own : `${own}\n  caused by: ${causes(cause).trim()}`
}
