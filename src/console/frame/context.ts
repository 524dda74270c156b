/** What the pages of the console get: the service around them, and the request. */
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Settings } from '../../config/settings.ts'
import type { Brand } from '../../content/brand.ts'
import type { Calendar } from '../../follow-up/calendar.ts'
import type { Intake } from '../../http/intake.ts'
import type { LinkActions } from '../../http/links/link-actions.ts'
import type { SecurityEvents } from '../../http/security-events.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { MergedFollowUps } from '../../leads/lead/merging.ts'
import type { Content } from '../../mail/messages.ts'
import type { ReplyTemplates } from '../../mail/reply-templates.ts'
import type { StepMessages } from '../../mail/step-messages.ts'
import type { Clock } from '../../platform/time.ts'
import type { Push } from '../../push/push.ts'
import type { Links } from '../../signed-links.ts'
import type { ActionContext, ActionResult, StageChange, StageResult } from '../../store/actions/staff-actions.ts'
import type { MergeRequest, MergeResult } from '../../store/merging/merge.ts'
import type { Session } from '../../store/operators/sessions.ts'
import type { Store } from '../../store/store.ts'
import type { Lane } from '../../store/tables/schema.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import type { Action, SignedIn } from './access.ts'

export type ConsoleDeps = {
  store: Store
  clock: Clock
  config: Config
  settings: Settings
  calendar: Calendar
  links: Links
  /** Signs what only this installation may have written. */
  secretKey: string
  addressSecret: string
  log: Logger
  events: SecurityEvents
  /** Takes what someone enters by hand. */
  intake: Intake
  /** Wakes browsers, which then ask us what to show. */
  push: Push
  /** What the buttons do, here and behind the links in emails. */
  actions: LinkActions
  followUps: FollowUps
  conversations: Conversations
  /** What a step of a cadence can send. */
  stepMessages: StepMessages
  /** Wakes these lanes of the worker, by default all. Call it when something may have become due. */
  changed: (lanes?: readonly Lane[]) => void
  /** Carries out, in the background, hand-overs of all leads of someone. */
  handOvers: { run(): Promise<void> }
  /** Call it after what is edited in the console was saved: it is then in force, here and in other processes. */
  settingsEdited: () => Promise<void>
  /** Puts in force what other processes have saved. */
  catchUpWithEdits: () => Promise<void>
  /** The client's network, for limits and for the audit log. */
  networkOf: (request: HttpBindings['incoming']) => string
  /** Aborted when the service begins to end: responses that stay open must then end, too. */
  closing: AbortSignal
}

/** A step of a follow-up that is still to come; only one that waits already (`open`) can be skipped. */
export type NextStep = { at: number; to: string; message: string | null; index: number; open: boolean }

export type FollowUps = {
  /** What will be done for a lead if nothing else happens, soonest first. */
  upcoming(lead: Lead, now: number): Promise<NextStep[]>
  /** Skips the open step with this index. */
  skip(leadId: number, step: number, by: ActionContext): Promise<ActionResult>
  /** Changes the stage of a lead to `new`, with everything that begins again; with `from`, from these alone. */
  reopen(lead: Lead, by: ActionContext & Pick<StageChange, 'from'>): Promise<StageResult>
  /** What merging another lead into one that is kept would mean for their follow-ups, and which steps would come then. */
  dryRunMerge(kept: Lead, other: Lead, now: number): Promise<MergedFollowUps & { steps: NextStep[] }>
  /** Merges another lead into one that is kept, with everything that begins again for it. */
  merge(kept: Lead, other: Lead, by: Pick<MergeRequest, 'seenOther'> & ActionContext): Promise<MergeResult>
}

/** What someone writes to a person. */
export type Draft = { subject: string; text: string; author: string; answers: string | undefined }

export type Conversations = {
  templates: ReplyTemplates
  /** Why no one may write to the person from here, in words; undefined if they may. */
  obstacle(lead: Lead): Promise<string | undefined>
  /** The Message-ID that the next message replies to, and its subject; both are missing if there is none. */
  thread(leadId: number): Promise<{ answers: string | undefined; subject: string | undefined }>
  /** The message that a draft becomes. */
  preview(lead: Lead, draft: Draft): Promise<Content>
  /** The message of a task of the outbox, or a sentence that says why there is none. */
  messageOf(task: Task): Promise<{ content: Content } | { unknown: string }>
}

/** What the shell around a page shows. */
export type Frame = {
  deps: ConsoleDeps
  brand: Brand
  /** The URLs of our files, by name. */
  assets: Record<string, string>
  /** The pages in the navigation. */
  menu: readonly MenuGroup[]
  mailTrouble: {
    /** What is wrong with mail; empty while it flows. */
    troubles(): Promise<MailTrouble[]>
    /** Someone has just changed that. */
    forget(): void
  }
}

/** What a banner on every page says about mail. */
export type MailTrouble = {
  title: string
  text: string
  /** The name of a person of the team whose address is to be corrected. */
  person?: string
}

/** Pages of the navigation under one heading. */
export type MenuGroup = { title: string; items: readonly { path: string; title: string; action: Action }[] }

export type ConsoleEnv = {
  Bindings: HttpBindings
  Variables: {
    frame: Frame
    /** Set on every route but those for `anyone`. */
    operator: SignedIn
    session: Session
    /** The Content-Security-Policy of a document that our own pages show in a frame. */
    framedPolicy: string | undefined
  }
}

export type ConsoleContext = Context<ConsoleEnv>

/** `anyone` needs no session. */
export type RouteAction = Action | 'anyone'

export type ConsoleRoute = {
  method: 'GET' | 'POST'
  /** As Hono writes it: `/leads/:id{[0-9]+}`. */
  path: string
  /** What the operator must be allowed to do. */
  action: RouteAction
  /** The title in the navigation, for a page that belongs there; `menu.ts` says where. */
  menu?: string
  /** The largest body that is read, in bytes. Default: 64 KiB. */
  largestBody?: number
  handle: (c: ConsoleContext) => Response | Promise<Response>
}
