/** When the daily digest is due: pure arithmetic over a time zone. */

const QUARTER = 15 * 60_000

/**
 * The next moment after `now` at which it is `hour` o'clock in the time zone, and the day there as
 * yyyymmdd. On the day on which a clock change skips that hour, the digest waits for the next day;
 * where the change repeats it, the first time counts.
 */
export function nextDigest(
  now: number,
  timeZone: string,
  hour: number,
): { day: number; dueAt: number } {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const localTime = (moment: number) => {
    const parts = format.formatToParts(moment).map(part => [part.type, part.value])
    const { year, month, day, hour, minute } = Object.fromEntries(parts)
    return { day: Number(`${year}${month}${day}`), time: `${Number(hour)}:${minute}` }
  }
  // Every zone's offset is a multiple of a quarter of an hour.
  for (let moment = (Math.floor(now / QUARTER) + 1) * QUARTER; ; moment += QUARTER) {
    const { day, time } = localTime(moment)
    if (time !== `${hour}:00`) continue
    const repeated = localTime(moment - 4 * QUARTER).time === time
    if (!repeated) return { day, dueAt: moment }
  }
}
