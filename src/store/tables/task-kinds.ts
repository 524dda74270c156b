/** What each kind of task is about, and who gets its message. No other file may list this. */

type Terms = {
  /** What the `subject` of the task is: the id of one of these, or a day (yyyymmdd; for a week, its first day). */
  about:
    | 'submission'
    /** The first of the submissions that were accepted together; `through` is the last. */
    | 'submissions'
    | 'lead'
    /** An entry of a timeline. */
    | 'entry'
    | 'stray mail'
    | 'erasure request'
    | 'operator link'
    | 'audit entry'
    | 'hand-over'
    | 'import'
    | 'delivery'
    | 'alarm'
    | 'nightly export'
    | 'day'
  /** `lane`: the lane says who gets the message: in `letters`, the person. Null: the task has no message. */
  to: 'person' | 'staff' | 'lane' | null
}

const kinds = {
  file: { about: 'submissions', to: null },
  refile: { about: 'submission', to: null },
  notify: { about: 'submission', to: 'staff' },
  receipt: { about: 'submission', to: 'person' },
  account: { about: 'submission', to: 'person' },
  step: { about: 'lead', to: 'lane' },
  news: { about: 'entry', to: 'staff' },
  message: { about: 'entry', to: 'person' },
  forward: { about: 'stray mail', to: 'staff' },
  strays: { about: 'day', to: 'staff' },
  digest: { about: 'day', to: 'staff' },
  unattended: { about: 'day', to: 'staff' },
  daily: { about: 'day', to: 'staff' },
  report: { about: 'day', to: 'staff' },
  retention: { about: 'day', to: 'staff' },
  invitation: { about: 'operator link', to: 'staff' },
  reset: { about: 'operator link', to: 'staff' },
  security: { about: 'audit entry', to: 'staff' },
  'hand-over': { about: 'hand-over', to: 'staff' },
  erasure: { about: 'erasure request', to: 'staff' },
  import: { about: 'import', to: null },
  imported: { about: 'import', to: 'staff' },
  scan: { about: 'entry', to: null },
  deliver: { about: 'delivery', to: null },
  alarm: { about: 'alarm', to: 'staff' },
  'alarm-over': { about: 'alarm', to: 'staff' },
  export: { about: 'nightly export', to: null },
} as const satisfies Record<string, Terms>

/**
 * `file` comes with acceptance, one for each commit; `refile` is about one submission. `step` is a step of the cadence,
 * `news` an email to the staff about an event of a lead, `account` an email to a person who already has an account.
 * `unattended` lists the leads that no one looks after, `forward` is one email that is not about a lead, `strays` lists
 * several of these. `invitation` and `reset` are links for operators of the console; `security` tells one that how they
 * sign in has changed. `message` is an email that someone at the school wrote to the person. `erasure` is about a
 * request to erase someone, for one operator; `retention` lists who the retention rules will erase. `hand-over` is
 * about all of someone's leads. `report` is the report of a week, `daily` the digest of an operator's day. `import` is
 * the next work on an imported list, `imported` tells an owner about the leads in it. `scan` looks for viruses in the
 * attachments of an email. `deliver` sends an event to a destination. `alarm` tells an admin that something needs their
 * attention, `alarm-over` that it is over. `export` writes the file of a nightly export; it is due again every night.
 */
export type TaskKind = keyof typeof kinds

export type Subject = Terms['about']

/** What the outbox sends: all messages except the steps of cadences. */
export type MessageKind = {
  [K in TaskKind]: (typeof kinds)[K]['to'] extends 'person' | 'staff' ? K : never
}[TaskKind]

export const hasMessage = (kind: string): kind is TaskKind =>
  Object.hasOwn(kinds, kind) && kinds[kind as TaskKind].to !== null

/** What the `subject` of a task is; undefined for a kind that is unknown here. */
export const subjectOf = (kind: TaskKind): Subject | undefined =>
  Object.hasOwn(kinds, kind) ? kinds[kind].about : undefined

/** The kinds of tasks about something; with `to`, only kinds with a message: to anyone, or always to the person. */
export const kindsAbout = (subject: Subject, { to }: { to?: 'anyone' | 'person' } = {}): TaskKind[] =>
  everyKind.filter(kind => {
    const terms: Terms = kinds[kind]
    return terms.about === subject && (to === undefined || (to === 'anyone' ? terms.to !== null : terms.to === to))
  })

export const everyKind = Object.keys(kinds) as TaskKind[]

/** The kinds of messages that always go to the person, without the steps of cadences. */
export const kindsToPerson: readonly TaskKind[] = everyKind.filter(kind => kinds[kind].to === 'person')

/** Whether the message of a task goes to the person, and not to the staff. */
export const isToPerson = ({ kind, lane }: { kind: TaskKind; lane: string }): boolean =>
  lane === 'letters' || kindsToPerson.includes(kind)
