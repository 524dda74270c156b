/**
 * The second step of a form in two steps, or a correction on the page after a form: a submission of its own that
 * repeats what the first one said, so that readers need only this one. The person who sends it does not see anything of
 * the first step; only a token of ours identifies it.
 */
import { completing, readFormDetails } from '../leads/body/form-details.ts'
import type { Store } from '../store/store.ts'

/** A stored submission: its id and its key. */
export type StoredFirst = { id: number; key: string }

/**
 * A submission that completes another; each can be completed only once. If the id of the first is unknown, it is found
 * by its key. `nonce`: equal for equal words besides the body.
 */
export type Completing = { completes: Partial<StoredFirst> & Pick<StoredFirst, 'key'>; nonce: string }

/** `details`: `FormDetails` as JSON. */
type Form = { once: object; details: string }

export const isCompleting = <F extends Form>(form: F | undefined): form is F & { once: Completing } =>
  form !== undefined && 'completes' in form.once

/** The whole inquiry; undefined if the first step does not exist, or no longer exists. */
export async function wholeOf<S extends { body: unknown }, F extends Form & { once: Completing }>(
  store: Pick<Store, 'findAccepted' | 'readAccepted'>,
  submitted: S,
  form: F,
): Promise<(S & { form: F }) | undefined> {
  const { key, id = await store.findAccepted(key) } = form.once.completes
  const first = id === undefined ? undefined : await store.readAccepted(id)
  if (id === undefined || first?.key !== key) return undefined
  const [said, says] = [asSent(JSON.parse(first.body)), submitted.body as Record<string, unknown>]
  const known = readFormDetails(first.form)
  const rest = readFormDetails(form.details)
  if (known === null || rest === null) return undefined
  return {
    ...submitted,
    body: { ...said, ...says },
    form: {
      ...form,
      details: JSON.stringify(
        completing(known, rest, {
          completes: id,
          otherNumber: says['phone'] !== undefined && says['phone'] !== said['phone'],
        }),
      ),
    },
  }
}

/** Turns a second step into a further inquiry: an earlier one was sent under the same token, with other words. */
export function asFurther<F extends Form & { once: Completing }>({ once, details, ...form }: F) {
  const { completes: _, corrects: __, ...others } = JSON.parse(details)
  return { ...form, once: { nonce: once.nonce }, details: JSON.stringify(others) }
}

/** A stored body as a form sends it: a ranked answer is only its text. */
const asSent = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && 'text' in value ? value.text : value,
    ]),
  )
