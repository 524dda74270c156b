/** The secret of an installation, and the links in emails that it signs. */
import type { Config } from './config/config.ts'
import { StartError } from './config/config-error.ts'
import { describeDatabase } from './config/environment.ts'
import { peopleOn } from './leads/lead/staff.ts'
import { newSecret } from './platform/secret.ts'
import { createLinks, type Links } from './signed-links.ts'
import type { Store } from './store/store.ts'

/** The links in emails of this installation. Throws StartError if the secret that signs them is lost. */
export async function openLinks(config: Config, store: Store): Promise<Links> {
  const secretKey = await linkSecret(config, store)
  if (secretKey === undefined) throw missingSecret(config)
  return linksWith(secretKey, config)
}

export function linksWith(secretKey: string, config: Config): Links {
  const { admissions } = config.settings
  const whoMayAct = () => peopleOn(admissions).filter(({ id }) => admissions.access?.[id] !== 'none')
  return createLinks({ ...config, secretKey, staff: whoMayAct })
}

/**
 * The secret that signs links; undefined if it is lost. It does not throw then, since `store.atStart` would report any
 * error as an error of the database.
 */
export async function linkSecret(config: Config, store: Store): Promise<string | undefined> {
  return config.secretKey ?? store.getOrCreateLinkSecret(newSecret())
}

export function missingSecret({ database }: Config): StartError {
  return new StartError(
    `The database ${describeDatabase(database)} has sent email, but the secret that signed the links in it is missing: ` +
      'the buttons and unsubscribe links of those emails would not work. Set SECRET_KEY to the value that it had. If it ' +
      'is lost, set SECRET_KEY to a new one: openssl rand -hex 32',
  )
}
