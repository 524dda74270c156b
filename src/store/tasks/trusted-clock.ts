/** Whether a clock may decide what is too old: not if it is suddenly days ahead, since it may soon be corrected. */
import type { Kysely } from 'kysely'
import { DAY, HOUR } from '../../platform/time.ts'
import type { Schema } from '../tables/schema.ts'

/** Between two checks, a clock may advance by up to this, in milliseconds, since a service is sometimes off. */
const STEP = 2 * DAY

/** A clock that is further ahead is believed after it has run for this long. */
const BELIEVED_AFTER = 1 * DAY

/** How often the time of a clock that runs correctly is saved. */
const SAVED_EVERY = 1 * HOUR

const LAST = 'clock'
const AHEAD = 'clock ahead since'

/**
 * Whether the clock continues from where it was when this was last called, even by another process or before a restart.
 * Code that deletes or decides something by its age calls this first, and waits if the answer is no.
 */
export async function trustsClock(db: Kysely<Schema>, now: number): Promise<boolean> {
  const rows = await db.selectFrom('progress').selectAll().where('name', 'in', [LAST, AHEAD]).execute()
  const saved = new Map(rows.map(({ name, through }) => [name, through]))
  const last = saved.get(LAST) ?? now
  if (now <= last + STEP) {
    if (!saved.has(LAST) || saved.has(AHEAD) || Math.abs(now - last) >= SAVED_EVERY) await believe(db, now)
    return true
  }
  const since = saved.get(AHEAD)
  if (since === undefined || now < since || now > since + STEP) {
    await save(db, AHEAD, now)
    return false
  }
  if (now < since + BELIEVED_AFTER) return false
  await believe(db, now)
  return true
}

async function believe(db: Kysely<Schema>, now: number): Promise<void> {
  await save(db, LAST, now)
  await db.deleteFrom('progress').where('name', '=', AHEAD).execute()
}

async function save(db: Kysely<Schema>, name: string, through: number): Promise<void> {
  await db
    .insertInto('progress')
    .values({ name, through })
    .onConflict(oc => oc.column('name').doUpdateSet({ through }))
    .execute()
}
