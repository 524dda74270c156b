/** The tables that a move copies, and their order. */
import type { Schema } from '../tables/schema.ts'

/**
 * Every table with its primary key, each before the tables that refer to it. The tasks come last: without them, nothing
 * acts on the other rows.
 */
const keys = {
  submissions: { id: 'bigint' },
  idempotency_keys: { key: 'text' },
  cadences: { id: 'bigint' },
  leads: { id: 'bigint' },
  callbacks: { id: 'bigint' },
  timeline: { id: 'bigint' },
  attachments: { id: 'bigint' },
  attachment_parts: { attachment_id: 'bigint', number: 'bigint' },
  quarantine: { submission_id: 'bigint' },
  message_texts: { digest: 'text', email_key: 'text' },
  secrets: { name: 'text' },
  turns: { pool: 'text', counselor: 'text' },
  absences: { id: 'bigint' },
  edited_settings: { id: 'bigint' },
  school_files: { name: 'text' },
  suppressions: { address_hash: 'text' },
  accounts: { address_hash: 'text' },
  mailboxes: { name: 'text' },
  stray_mail: { id: 'bigint' },
  operators: { id: 'bigint' },
  sessions: { token_hash: 'text' },
  api_tokens: { id: 'bigint' },
  operator_links: { id: 'bigint' },
  recovery_codes: { operator_id: 'bigint', code_hash: 'text' },
  passkeys: { id: 'text' },
  audit_log: { id: 'bigint' },
  notice_choices: { operator_id: 'bigint' },
  push_subscriptions: { id: 'bigint' },
  notices: { id: 'bigint' },
  alarms: { id: 'bigint' },
  labels: { id: 'bigint' },
  lead_labels: { lead_id: 'bigint', label_id: 'bigint' },
  saved_views: { id: 'bigint' },
  drafts: { id: 'bigint' },
  lead_words: { lead_id: 'bigint' },
  erasures: { id: 'bigint' },
  erasure_requests: { id: 'bigint' },
  lead_holds: { lead_id: 'bigint' },
  planned_erasures: { lead_id: 'bigint' },
  progress: { name: 'text' },
  lead_facts: { lead_id: 'bigint' },
  form_counts: { form: 'text', day: 'text' },
  delivery_counts: { hour: 'bigint', audience: 'text', late: 'bigint' },
  insight_counts: { dimension: 'text', period: 'text', kind: 'text', value: 'text' },
  changed_leads: { id: 'bigint' },
  imports: { id: 'bigint' },
  import_rows: { import_id: 'bigint', row_number: 'bigint' },
  hand_overs: { id: 'bigint' },
  hand_over_leads: { hand_over_id: 'bigint', lead_id: 'bigint' },
  destinations: { id: 'bigint' },
  deliveries: { id: 'bigint' },
  delivery_attempts: { id: 'bigint' },
  sources: { id: 'bigint' },
  source_costs: { month: 'text', source: 'text' },
  nightly_exports: { id: 'bigint' },
  tasks: { id: 'bigint' },
} satisfies Record<keyof Schema, Record<string, 'bigint' | 'text'>>

export type Table = { name: keyof Schema; key: { column: string; type: 'bigint' | 'text' }[] }

export const tables: Table[] = Object.entries(keys).map(([name, key]) => ({
  name: name as keyof Schema,
  key: Object.entries(key).map(([column, type]) => ({ column, type })),
}))

/** The columns of the primary key, as SQL lists them. */
export const keyOf = (table: Table): string => table.key.map(({ column }) => column).join(', ')

export type Row = Record<string, unknown>

/** This many rows are in memory at once, each at most a little larger than a body of 32 KiB. */
const BATCH = 1000

/** The portions of attachments, and logos, are larger. */
const BATCH_OF: Partial<Record<Table['name'], number>> = { attachment_parts: 100, school_files: 20 }

/** How many rows of a table are in memory at once; `most` is for tests. */
export const batchOf = ({ name }: Table, most = BATCH): number => Math.min(most, BATCH_OF[name] ?? BATCH)
