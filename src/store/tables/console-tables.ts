/** The tables of the console, as the queries see them. Times are Unix milliseconds. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Role } from '../../leads/lead/roles.ts'

export type OperatorTables = {
  operators: OperatorsTable
  sessions: SessionsTable
  api_tokens: ApiTokensTable
  operator_links: OperatorLinksTable
  /** Each code lets its operator in once, instead of a code from the authenticator app. */
  recovery_codes: { operator_id: number; code_hash: string }
  passkeys: PasskeysTable
  audit_log: AuditLogTable
  notice_choices: NoticeChoicesTable
  push_subscriptions: PushSubscriptionsTable
  notices: NoticesTable
  saved_views: SavedViewsTable
  drafts: DraftsTable
}

/** The people who sign in. Never deleted: the audit log refers to them. */
type OperatorsTable = {
  id: GeneratedAlways<number>
  email: string
  email_key: string
  name: string
  role: Role
  /** The hash that `console/sign-in/passwords.ts` makes; null until the person has chosen a password. */
  password: string | null
  /** The authenticator app's secret, encrypted by `console/sign-in/sealed-secret.ts`; null without a second factor. */
  totp_secret: string | null
  /** The time step of the last code that was used, so that no code is used twice. */
  totp_step: number | null
  factor_asked_at: number | null
  /** Whether single keys are shortcuts. */
  shortcuts: Generated<number>
  signature: Generated<string>
  /** Their order and columns for lists of leads; null until they have chosen. */
  list_order: Generated<string | null>
  list_columns: Generated<string | null>
  created_at: number
  disabled_at: number | null
  /** The operator who invited them in the console; null if no one did. */
  invited_by: number | null
}

type SessionsTable = {
  /** The token is only in the cookie. */
  token_hash: string
  operator_id: number
  created_at: number
  seen_at: number
  /** The network of the client address. If someone has signed in from it before, others cannot slow them down there. */
  network: string
  /** In words, for the list of sessions. */
  browser: string
}

/** The tokens with which programs use the private API. Revoked tokens stay, since the audit log refers to them. */
type ApiTokensTable = {
  id: GeneratedAlways<number>
  name: string
  /** The token is shown once, and not stored. */
  token_hash: string
  /** Its last characters, which help people recognize it. */
  ending: string
  /** The operator that the program acts for: it may do what they may do. */
  operator_id: number
  /** The part of that which it may do: scopes, separated by spaces. */
  scopes: string
  created_by: number
  created_at: number
  /** Null if it does not expire. */
  expires_at: number | null
  used_at: number | null
  revoked_at: number | null
}

/** Links that let someone in once. Their tokens are signed, not stored. */
type OperatorLinksTable = {
  id: GeneratedAlways<number>
  purpose: 'first' | 'invitation' | 'reset'
  /** Null for the link that creates the first operator. */
  operator_id: number | null
  nonce: string
  created_at: number
  expires_at: number
  used_at: number | null
}

type PasskeysTable = {
  id: string
  operator_id: number
  public_key: string
  counter: number
  name: string
  created_at: number
  used_at: number | null
}

/** Who did what in the console. Append-only, until the time to keep it is over. */
type AuditLogTable = {
  id: GeneratedAlways<number>
  at: number
  operator_id: number | null
  /** The name at that time, or words such as `command line`. */
  actor: string
  action: string
  lead_id: number | null
  detail: string
  network: string
}

/** How an operator is notified; without a row, by email right away. */
type NoticeChoicesTable = {
  operator_id: number
  email: 'at once' | 'daily' | 'browser'
  /** Whether their browser notifies them of new leads without a counselor. */
  unassigned: 0 | 1
  /** Hours of the day, from 0 to 23. */
  quiet_from: number
  quiet_to: number
}

/** The browsers in which operators want to get notices. */
type PushSubscriptionsTable = {
  id: GeneratedAlways<number>
  operator_id: number
  endpoint: string
  /** The browser's name, in words. */
  browser: string
  created_at: number
}

/** Notices: what an operator got in the browser or in the daily digest, instead of in an email. */
type NoticesTable = {
  id: GeneratedAlways<number>
  operator_id: number
  /** The task whose message it replaces. */
  task_id: number
  at: number
  /**
   * 1: it waits for the digest of the next morning. A day, as yyyymmdd: the digest of that day lists it, and was not sent
   * yet. Otherwise 0.
   */
  daily: number
}

/** The filters of the inbox that operators saved. */
type SavedViewsTable = {
  id: GeneratedAlways<number>
  operator_id: number
  name: string
  /** The part of a URL after `?`. */
  filter: string
  shared: 0 | 1
  created_at: number
}

/** An email or a note about a lead, or a new lead of that kind. */
export type DraftKind = 'email' | 'note' | 'student' | 'site'

/** What operators have typed and not sent yet: one of each kind about each lead, and one about a new lead. */
type DraftsTable = {
  id: GeneratedAlways<number>
  operator_id: number
  lead_id: number | null
  kind: DraftKind
  /** JSON: what each field contains. */
  fields: string
  began_at: number
  saved_at: number
}
