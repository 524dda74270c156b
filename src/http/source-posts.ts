/**
 * The posts of sources to the console's host, each with its source's key. They use the same intake as every other
 * submission, and get the responses that the source expects.
 */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { asSentence } from '../leads/body/problems.ts'
import { statesWith } from '../leads/body/states.ts'
import { programNames } from '../leads/lead/programs.ts'
import { readGoogleLead } from '../leads/source/google-lead.ts'
import { inquiryOfPost, type PostContext } from '../leads/source/inquiry-of-post.ts'
import { secretHash } from '../platform/secret.ts'
import type { Clock } from '../platform/time.ts'
import { SECOND } from '../platform/time.ts'
import type { StoredSource } from '../store/sources/sources.ts'
import type { Store } from '../store/store.ts'
import { readBytes, readJson } from './body.ts'
import type { ClientAddress } from './client-address.ts'
import { isEncoded } from './codings.ts'
import { errors, type HttpError, toHttpError } from './errors.ts'
import { countFields } from './form-parts.ts'
import { type Gate, rejectOverload } from './gate.ts'
import type { Intake } from './intake.ts'
import { sourceLimit } from './rate-limits.ts'
import type { HttpResponse, Route } from './router.ts'

type SourceServices = {
  store: Store
  intake: Intake
  gate: Gate
  addressOf: ClientAddress
  settings: Settings
  clock: Clock
  log: Logger
}

/** The most parts of a form: more than any source has questions. */
const MOST_PARTS = 500

/** The settings with which the posts of a source are read. */
export const postContext = (settings: Settings, now: number): PostContext => ({
  now,
  states: statesWith(settings.studentInterest.states),
  answers: settings.studentInterest.answers,
  clickIds: settings.forms.clickIds,
  programs: programNames(settings),
})

/** `POST /sources/{key}`. */
export function sourcePosts(services: SourceServices): Route {
  const { store, gate, clock } = services
  return {
    POST: async (request, key) => {
      rejectOverload(store)
      const keyHash = secretHash(key)
      const source = await store.findSource(keyHash, clock.now())
      if (source === undefined) {
        // A client that guesses keys is counted like a client that submits.
        await gate(request)
        throw errors.noSource()
      }
      try {
        return await receive(services, { source, keyHash, request })
      } catch (error) {
        return failed(services, source, toHttpError(error, services.log))
      }
    },
  }
}

type Posted = { source: StoredSource; keyHash: string; request: IncomingMessage }

async function receive(
  { store, intake, settings, clock, addressOf }: SourceServices,
  { source, keyHash, request }: Posted,
): Promise<HttpResponse> {
  await countPost(store, source, clock.now())
  if (source.off) throw errors.sourceOff()
  const post = await readPost(request)
  if (source.kind === 'google') {
    const { key, isTest } = readGoogleLead(post, source.leadKind)
    if (!isSame(secretHash(key), keyHash)) throw errors.googleKey()
    if (isTest) return success(source, false)
  }
  const read = inquiryOfPost(source, post, postContext(settings, clock.now()))
  if ('problem' in read) throw errors.invalidBody(read.problem)
  if (source.kind === 'google' && read.id === undefined) throw errors.invalidBody('lead_id is required')
  const received = await intake[source.leadKind]({
    body: read.body,
    headers: {},
    clientAddress: addressOf(request),
    dryRun: false,
    form: { once: read.once, details: JSON.stringify(read.details), required: [], onBehalf: true },
  })
  if (received.outcome === 'invalid') throw errors.invalidBody(asSentence(received.problems))
  // The id identifies a lead, whatever else a later post says.
  return success(source, received.outcome !== 'accepted' || received.replayed)
}

async function countPost(store: Store, { id }: StoredSource, now: number): Promise<void> {
  const { points, duration } = sourceLimit
  const counted = await store.count(`source ${id}`, { add: 1, duration, now })
  if (counted.points > points) throw errors.tooManyOfSource(sourceLimit, Math.ceil((counted.until - now) / SECOND))
}

/** A JSON object, or the fields of a form. Throws 415 for another content type. */
async function readPost(request: IncomingMessage): Promise<unknown> {
  const { 'content-type': type = '' } = request.headers
  const [, form] = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.exec(type) ?? []
  if (form === undefined) return readJson(request)
  if (isEncoded(request)) throw errors.compressed()
  const bytes = await readBytes(request)
  return /^multipart/i.test(form)
    ? partsOf(bytes, type)
    : Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
}

/** The fields of a multipart form, without its files. */
async function partsOf(bytes: Buffer, type: string): Promise<Record<string, string>> {
  const isWhole = (countFields(bytes, type, MOST_PARTS) ?? Infinity) <= MOST_PARTS
  const read =
    isWhole && (await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => false))
  if (!(read instanceof FormData)) throw errors.invalidBody('The form cannot be read, or has too many parts')
  return Object.fromEntries([...read].filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

const success = ({ kind }: StoredSource, replayed: boolean): HttpResponse => ({
  status: 200,
  headers: replayed ? { 'Idempotent-Replayed': 'true' } : {},
  // Google expects an empty object.
  body: kind === 'google' ? {} : { success: true },
})

/** The response to a post that is not accepted. Admins see it in the console, since the sender may never read it. */
async function failed(
  { store, clock }: SourceServices,
  source: StoredSource,
  { status, message, headers }: HttpError,
): Promise<HttpResponse> {
  if (status < 500 && status !== 429) await store.recordRejectedPost(source.id, { at: clock.now(), why: message })
  return { status, headers, body: source.kind === 'google' ? { message } : { error: message } }
}
