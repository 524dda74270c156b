/** The tables that insight and delivery are counted in, as the queries see them. */
import type { GeneratedAlways } from 'kysely'

export type InsightTables = {
  /** The facts that were counted for each lead. A lead that does not count has none. */
  lead_facts: LeadFactsTable
  insight_counts: InsightCountsTable
  delivery_counts: DeliveryCountsTable
  form_counts: FormCountsTable
  /** A row for each change of a lead that is not counted yet, written by triggers. */
  changed_leads: { id: GeneratedAlways<number>; lead_id: number }
}

/** The facts of insight about a lead (`store/insight/lead-facts.ts`); '' if a fact is not known. */
type LeadFactsTable = {
  lead_id: number
  /** The day at the school on which they first wrote, as yyyy-mm-dd. */
  day: string
  kind: 'site' | 'student'
  counselor: string
  campaign: string
  source: string
  /** Null for sites, which are not asked. */
  program: string | null
  form: string
  state: string
  /** How far they came: the index of a stage of their kind. */
  stage: number
  closed: 0 | 1
  /** How long it took to reach them (`follow-up/times-to-reach.ts`); null if that is not known. */
  wall_time: number | null
  working_time: number | null
  /** How they heard of the school; null for sites, which are not asked. */
  heard: string | null
  /** 1 for someone who was imported or entered by hand. */
  entered: 0 | 1
  /** JSON: the follow-up emails to the person (`store/insight/email-facts.ts`); '' if there are none. */
  emails: string
}

/** How many emails were sent within an hour (`store/outbox/delivery-health.ts`). */
type DeliveryCountsTable = {
  /** When the hour began. */
  hour: number
  audience: 'people' | 'staff'
  /** The index of the band of lateness. */
  late: number
  sent: number
  /** How many of them had failed before. */
  retried: number
}

/** How often people saw a form, began to fill it in, and sent it, on a day at the school as yyyy-mm-dd. */
type FormCountsTable = {
  form: string
  day: string
  seen: number
  begun: number
  sent: number
  /** Counts of the second step of a form in two steps. */
  rest_begun: number
  rest_sent: number
}

/** How many leads have which facts, separately for each value of each dimension. */
type InsightCountsTable = {
  /** `entered` counts the sources of people imported or entered by hand: only `email` counts them, too. */
  dimension: 'all' | 'counselor' | 'campaign' | 'source' | 'program' | 'form' | 'heard' | 'state' | 'entered' | 'email'
  /** A day as yyyy-mm-dd, or a month as yyyy-mm. */
  period: string
  kind: 'site' | 'student'
  value: string
  leads: number
  /** JSON: how many there are of each fact (`store/insight/lead-facts.ts`). */
  counts: string
}
