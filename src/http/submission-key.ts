/** The key that makes a submission unique, which depends on where it comes from. */
import {
  clientKey,
  completingKey,
  FINGERPRINT_LIFETIME,
  fingerprintKey,
  formKey,
  type Once,
} from '../leads/body/idempotency.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { Completing } from './second-step.ts'

/** What makes a submission unique: for a form, the nonce of its page with the body; for a source, its post's key. */
export type OnceOfForm = { nonce: string } | Completing | Once

export const onceOf = (kind: Kind, key: string | undefined, fingerprint: string): Once =>
  key === undefined
    ? { key: fingerprintKey(fingerprint), lifetime: FINGERPRINT_LIFETIME }
    : { key: clientKey(kind, key), lifetime: null }

export function onceOfForm(once: OnceOfForm, fingerprint: string): Once {
  if ('completes' in once) return { key: completingKey(once.completes.key), lifetime: null }
  return 'nonce' in once ? { key: formKey(once.nonce, fingerprint), lifetime: null } : once
}
