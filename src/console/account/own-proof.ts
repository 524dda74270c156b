/**
 * How operators prove who they are before they change how they sign in: with their password and, if they have a second
 * factor, a code. Someone else may be sitting at their open browser.
 */
import { html } from 'hono/html'
import type { Proof } from '../../store/operators/proof.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { field } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'
import { verifyPassword } from '../sign-in/passwords.ts'
import { openSecret } from '../sign-in/sealed-secret.ts'
import { redeemCode } from '../sign-in/second-factor-codes.ts'
import { type Attempt, forgiveAttempt, waitBeforeAttempt } from '../sign-in/throttle.ts'

/** What is wrong with what they typed, by field; empty if it proves who they are. */
export type ProofProblems = { password?: string; proof?: string }

/** The two fields, with their problems. `form` must be different for each form on a page. */
export const proofFields = (c: ConsoleContext, form: string, problems: ProofProblems = {}): Html => html`${field({
  name: 'password',
  id: `${form}-password`,
  label: 'Your password',
  type: 'password',
  autocomplete: 'current-password',
  problem: problems.password,
})}
${
  c.get('operator').hasSecondFactor
    ? field({
        name: 'proof',
        id: `${form}-proof`,
        label: 'A code from the app that you use now',
        autocomplete: 'one-time-code',
        hint: 'Or one of your recovery codes.',
        problem: problems.proof,
      })
    : ''
}`

/**
 * The session must still be valid when a change of how they sign in is stored; a new password ends it. If it is not
 * valid anymore, the response is the page for someone who is not signed in.
 */
export const provedBy = (c: ConsoleContext): Proof => ({ session: c.get('session').tokenHash })

/** Reads the two fields. A correct code cannot be used again. */
export async function readProof(c: ConsoleContext, typed: Record<string, string | undefined>): Promise<ProofProblems> {
  const { password = '', proof = '' } = typed
  return checkOwn(c, password, c.get('operator').hasSecondFactor ? proof : undefined)
}

/** What is wrong with the password that someone typed; undefined if it is theirs. */
export const ownPasswordProblem = async (c: ConsoleContext, password: string): Promise<string | undefined> =>
  (await checkOwn(c, password, undefined)).password

async function checkOwn(c: ConsoleContext, password: string, code: string | undefined): Promise<ProofProblems> {
  const { deps } = c.get('frame')
  const { id, email } = c.get('operator')
  const attempt: Attempt = {
    email,
    network: deps.networkOf(c.env.incoming),
    device: `session ${c.get('session').tokenHash}`,
  }
  const wait = await waitBeforeAttempt(deps, attempt)
  if (wait > 0) return { password: `Too many attempts. Wait ${Math.ceil(wait / 1000)} seconds, then try again.` }
  const found = await deps.store.findOperator(email)
  if (!(await verifyPassword(password, found?.password ?? null))) return { password: 'The password is not right.' }
  if (code !== undefined) {
    const totpSecret = openSecret(deps.secretKey, id, found?.totpSecret ?? '')
    const isRight = await redeemCode(deps, { operatorId: id, totpSecret, code })
    if (!isRight)
      return { proof: 'This code is not right, or was used before. Enter the next one that your app shows.' }
  }
  await forgiveAttempt(deps, attempt)
  return {}
}
