/**
 * The second step of a form in two steps: a submission of its own that says what the first one said, too, so that its
 * readers need no other. Nothing of the first is shown to the person who sends it, and only a token of ours names it.
 */
import { completing, readFormDetails } from '../leads/body/form-details.ts'
import type { Store } from '../store/store.ts'

/** A submission that is stored, and its key. */
export type StoredFirst = { id: number; key: string }

/**
 * What completes a submission: that counts once. Without its id, it is found by its key. `nonce`: the same for the same
 * words beside the body.
 */
export type Completing = { completes: Partial<StoredFirst> & Pick<StoredFirst, 'key'>; nonce: string }

/** `details`: `FormDetails` as JSON. */
type Form = { once: object; details: string }

export const isCompleting = <F extends Form>(form: F | undefined): form is F & { once: Completing } =>
  form !== undefined && 'completes' in form.once

/** The whole inquiry; undefined if the first step is not there, or not there anymore. */
export async function wholeOf<S extends { body: unknown }, F extends Form & { once: Completing }>(
  store: Pick<Store, 'findAccepted' | 'readAccepted'>,
  submitted: S,
  form: F,
): Promise<(S & { form: F }) | undefined> {
  const { key, id = await store.findAccepted(key) } = form.once.completes
  const first = id === undefined ? undefined : await store.readAccepted(id)
  if (id === undefined || first?.key !== key) return undefined
  const known = readFormDetails(first.form)
  const rest = readFormDetails(form.details)
  if (known === null || rest === null) return undefined
  return {
    ...submitted,
    body: { ...asSent(JSON.parse(first.body)), ...(submitted.body as object) },
    form: { ...form, details: JSON.stringify(completing(known, rest, id)) },
  }
}

/** What someone says in another way under the token of a second step that was sent is a further inquiry. */
export function asFurther<F extends Form & { once: Completing }>({ once, details, ...form }: F) {
  const { completes: _, ...others } = JSON.parse(details)
  return { ...form, once: { nonce: once.nonce }, details: JSON.stringify(others) }
}

/** A stored body as a form sends it: a ranked answer is its text. */
const asSent = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && 'text' in value ? value.text : value,
    ]),
  )
