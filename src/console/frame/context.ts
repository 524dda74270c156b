/** What the pages of the console have access to: the services, and the request. */
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { Brand } from '../../content/brand.ts'
import type { Intake } from '../../http/intake.ts'
import type { SecurityEvents } from '../../http/security-events.ts'
import type { HandOverServices } from '../../lead-actions/hand-over.ts'
import type { Services } from '../../lead-actions/services.ts'
import type { MessageIds } from '../../mail/message-id.ts'
import type { StepMessages } from '../../mail/step-messages.ts'
import type { TextTrials } from '../../mail/text-trials.ts'
import type { Message } from '../../mail/transport/message.ts'
import type { Push } from '../../push/push.ts'
import type { Links } from '../../signed-links.ts'
import type { Backlog } from '../../store/mail/backlog.ts'
import type { Session } from '../../store/operators/sessions.ts'
import type { Conversations } from '../../tasks/conversations.ts'
import type { Action, SignedIn } from './access.ts'
import type { Turns } from './export-turns.ts'

export type ConsoleDeps = Services & {
  links: Links
  secretKey: string
  log: Logger
  events: SecurityEvents
  /** Accepts what someone enters by hand. */
  intake: Intake
  /** Wakes up browsers, which then ask us what to show. */
  push: Push
  identity: MessageIds
  conversations: Conversations
  /** The messages that a step of a cadence can send. */
  stepMessages: StepMessages
  /** Checks and renders a text that someone has typed for an email. */
  texts: TextTrials
  /** Sends a message immediately, past the outbox: only for a test to the person who asks for it. */
  sendNow: (message: Message) => Promise<void>
  handOvers: HandOverServices['handOvers']
  /** Call it after an edit in the console was saved. The edit is then in force, here and in other processes. */
  settingsEdited: () => Promise<void>
  /** Applies edits that other processes have saved. */
  catchUpWithEdits: () => Promise<void>
  /** The client's network, for limits and for the audit log. */
  networkOf: (request: HttpBindings['incoming']) => string
  /** Aborted when the service begins to shut down: responses that stay open must then end, too. */
  closing: AbortSignal
}

/** What the shell around a page needs. */
export type Frame = {
  deps: ConsoleDeps
  brand: Brand
  /** The URLs of our files, by name. */
  assets: Record<string, string>
  menu: readonly MenuGroup[]
  exportTurns: Turns
  mailTrouble: {
    /** What is wrong; empty if nothing is. */
    troubles(): Promise<MailTrouble[]>
    /** The counts that every page shows; they may be a few seconds old. */
    recent(): Promise<Backlog>
    /** Counts again what waits and what failed, for a page that lists it, so that its banners agree with the list. */
    backlog(): Promise<Backlog>
    /** Call it after a change to what is counted. */
    forget(): void
  }
}

/** What a banner on every page says about mail or a destination. */
export type MailTrouble = {
  title: string
  text: string
  /** The name of a person on the team whose address must be corrected. */
  person?: string
  /** Set if the cause must be repaired outside of the console. */
  elsewhere?: true
  /** The page that shows more, if it is not *Delivery*. */
  path?: string
  /** The id of the destination that it is about; only people who manage destinations see the banner. */
  destination?: number
}

/** Pages of the navigation under one heading. */
export type MenuGroup = { title: string; items: readonly { path: string; title: string; action: Action }[] }

/**
 * The form of a request; undefined if there is none or it did not arrive completely; `too many` if it has too many
 * fields, which are then not parsed.
 */
export type PostedForm = FormData | 'too many' | undefined

export type ConsoleEnv = {
  Bindings: HttpBindings
  Variables: {
    frame: Frame
    /** Set on every route except routes for `anyone`. */
    operator: SignedIn
    session: Session
    /** Until when they can work without a second factor; undefined if that is not limited. */
    factorDue: number | undefined
    /** The Content-Security-Policy of a response that is not one of our pages: a document in a frame, or a file. */
    policy: string | undefined
    /** The form that was sent, once it was read. */
    posted: Promise<PostedForm> | undefined
  }
}

export type ConsoleContext = Context<ConsoleEnv>

/** Whether a request only opens a page. HEAD gets what GET gets, without the body (RFC 9110 section 9.3.2). */
export const opensPage = ({ req }: ConsoleContext): boolean => req.method === 'GET' || req.method === 'HEAD'

/** `anyone` needs no session. */
export type RouteAction = Action | 'anyone'

export type ConsoleRoute = {
  method: 'GET' | 'POST'
  /** In Hono's notation: `/leads/:id{[0-9]+}`. */
  path: string
  /** What the operator must be allowed to do. */
  action: RouteAction
  /** The title in the navigation, for a page that belongs there; `menu.ts` says where. */
  menu?: string
  /** The largest body that is read, in bytes. Default: 128 KiB. */
  largestBody?: number
  handle: (c: ConsoleContext, deps: ConsoleDeps) => Response | Promise<Response>
}
