/** Wakes up the browsers of operators, with a key of our own. */
import type { Config } from '../config/config.ts'
import { lazy } from '../platform/lazy.ts'
import type { Clock } from '../platform/time.ts'
import type { Store } from '../store/store.ts'
import type { PushResult } from './web-push.ts'

export type Push = {
  /** The key that tells a browser who may wake it up. */
  publicKey(): Promise<string>
  /** Never rejects. */
  wake(endpoint: string): Promise<PushResult>
}

/** The key is made when it is first needed, and never changes, because browsers know only that key. */
export function createPush({
  store,
  clock,
  config: { mailFrom },
}: {
  store: Pick<Store, 'getOrCreateSecret'>
  clock: Clock
  config: Pick<Config, 'mailFrom'>
}): Push {
  // If no operator wants notifications, this library is never loaded.
  const webPush = lazy(() => import('./web-push.ts'))
  const key = lazy(async () => {
    const { newPushKey } = await webPush()
    return store.getOrCreateSecret('push', newPushKey())
  })
  return {
    publicKey: async () => (await webPush()).publicKeyOf(await key()),
    wake: async endpoint => {
      try {
        const options = { key: await key(), contact: `mailto:${mailFrom}`, now: clock.now() }
        const { wakeBrowser } = await webPush()
        return await wakeBrowser(endpoint, options)
      } catch {
        return 'failed'
      }
    },
  }
}
