/** Reads what is edited in the console, for a command that keeps running. */
import type { Config } from '../../config/config.ts'
import { isNewDatabase } from '../../config/data-folder.ts'
import { readInForce } from '../../config/edited-settings.ts'
import { editionNotes } from '../../config/edition-notes.ts'
import { openStore } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'

/** Reads it from the database that the configuration names. The database is opened once, and only if it exists. */
export function createEditedReader() {
  let opened: Promise<Store> | undefined
  let known = ''

  async function read(config: Config) {
    if (opened === undefined && isNewDatabase(config)) return
    opened ??= openStore(config.database)
    await readInForce(await opened, config)
  }

  return {
    /**
     * Applies to `config` what is edited in the console. Returns what to say about it: who edited what, or why the
     * settings file is in force although the database may say something else.
     */
    async apply(config: Config): Promise<string[]> {
      try {
        await read(config)
        return editionNotes(config)
      } catch (error) {
        const reason = (error as Error).message.replace(/\.$/, '')
        return [`What is edited in the console cannot be read, so this is what the settings file says: ${reason}.`]
      }
    },

    /** A value that differs after each edit; undefined before the database has been read. */
    async version(): Promise<string> {
      const current = await opened?.then(store => store.currentEditedSettings()).catch(() => undefined)
      // A database that is unavailable for a moment is not an edit.
      known = current?.versions.map(({ id }) => id).join() ?? known
      return known
    },

    async close(): Promise<void> {
      await opened?.then(store => store.close()).catch(() => {})
    },
  }
}
