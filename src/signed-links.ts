/**
 * Signed links: anyone who has a link may do the one thing that it is for, without a login. A link contains no personal
 * data, and a change to any part of it breaks the signature.
 */
import { isSigned, signature } from './platform/signature.ts'

/** An action on a lead, or on a quarantined submission. */
export type StaffAction =
  | 'contacted'
  | 'attempted'
  | 'no-answer-needed'
  | 'assign'
  | 'not-a-lead'
  | 'release'
  | 'dismiss'
/**
 * `open` shows the lead. `note`, `callback` and `resume` are the forms on its page. `undo` undoes an action on a lead,
 * by the entry of its timeline; `undismiss` undoes the dismissal of a submission.
 */
export type StaffPurpose = StaffAction | 'open' | 'note' | 'callback' | 'resume' | 'undo' | 'undismiss'
export type StudentAction = 'unsubscribe' | 'not-me'

export type StaffLink<P extends StaffPurpose = StaffPurpose> = {
  action: P
  /** The lead's id; for release, dismiss and undismiss, the submission's; for undo, the entry's. */
  subject: number
  /** The counselor's id, or `manager`; undefined for a message to a team. */
  actor: string | undefined
  /** Whether the settings no longer have that person with that mailbox; `actor` is then undefined. */
  left: boolean
  /** Whether the link has expired: it then shows and changes nothing. */
  expired: boolean
  /**
   * Unix time in milliseconds, in full seconds. Links on the page behind this link have the same moment and expire with
   * it, so that no one can keep access by going from page to page.
   */
  signedAt: number
}

/**
 * The content of a student link. `since` (Unix milliseconds) is when the lead got the contact data that the email was
 * sent with: when it was created, or corrected. So a link tells which address it went to, and does not work for another
 * lead that got the same id after a database was restored.
 */
export type StudentLink = { action: StudentAction; leadId: number; since: number }

export type Links = {
  /** A link at the console host, valid for 30 days from `now` (Unix time in milliseconds). */
  staff(action: StaffPurpose, subject: number, actor: string | undefined, now: number): string
  /** A link at the learn host. It never expires, because the right to unsubscribe does not. */
  student(action: StudentAction, leadId: number, since: number): string
  /**
   * A link at the console host that lets an operator in once. The row with that id says whether it still works; the
   * link is signed with the row's random nonce.
   */
  operator(id: number, nonce: string): string
  /** Reads the id of that row, and tells whether the token was signed with its nonce. Never throws. */
  readOperator(token: string): { id: number; isFor(nonce: string): boolean } | undefined
  /** Reads the content of a token; undefined if we did not sign it. Never throws. */
  readStaff(token: string, now: number): StaffLink | undefined
  /** Reads the content of a token; undefined if we did not sign it. Never throws. */
  readStudent(token: string): StudentLink | undefined
}

/**
 * The time with which a link is signed; its subject came at `came`. A link does not act on something newer than itself,
 * so its time is never before `came`, even if the clock was set back or is behind that of another replica.
 */
export const signingMoment = (came: number, now: number): number => Math.max(came, now)

/** Someone at the school, by id or as `manager`, and the mailbox to which their links go. */
export type Addressed = { id: string; email: string }

type Options = {
  secretKey: string
  consoleUrl: string
  learnUrl: string
  /** The people who get links in their own name. It is called each time, since they change. */
  staff: () => readonly Addressed[]
}

/** The paths of the links; the token follows. */
export const STAFF_PATH = '/act/'
export const STUDENT_PATH = '/mail/'
export const OPERATOR_PATH = '/welcome/'

/** How long a link to the staff works, in seconds. */
export const STAFF_LIFETIME = 30 * 24 * 60 * 60

const staffLetters: Record<StaffPurpose, string> = {
  open: 'o',
  contacted: 'c',
  attempted: 't',
  'no-answer-needed': 'w',
  assign: 'a',
  'not-a-lead': 'n',
  release: 'r',
  dismiss: 'd',
  note: 'm',
  callback: 'p',
  resume: 'e',
  undo: 'u',
  undismiss: 'k',
}
const studentLetters: Record<StudentAction, string> = { unsubscribe: 'u', 'not-me': 'n' }

/** Letter and subject, expiry, actor, signature. */
const STAFF_TOKEN = /^((\w)([0-9a-z]+)\.([0-9a-z]+)\.([\w-]*))\.([\w-]{22})$/
/** Row, signature. */
const OPERATOR_TOKEN = /^([0-9a-z]{1,10})\.([\w-]{22})$/
/** A letter for the action, the lead, the moment `since`, and the signature. */
const STUDENT_TOKEN = /^((\w)([0-9a-z]+)\.([0-9a-z]+))\.([\w-]{22})$/

type Purpose = 'staff' | 'student' | 'operator'

/** With this number of bytes, signatures end in A, Q, g or w, which mail programs include in links in plain text. */
const BYTES = 16

export function createLinks({ secretKey, consoleUrl, learnUrl, staff }: Options): Links {
  const mac = (purpose: Purpose, text: string) => signature(secretKey, `${purpose} link`, text, BYTES)
  const isOurs = (purpose: Purpose, text: string, given: string) =>
    isSigned(secretKey, `${purpose} link`, text, given, BYTES)

  const signed = (purpose: Purpose, text: string) => `${text}.${mac(purpose, text)}`

  // A counselor's id may be a name, so it does not go into the URL. Another mailbox is another person: their place may
  // have gone to someone else.
  const markOf = ({ id, email }: Addressed) =>
    signature(secretKey, 'actor of a link', `${id}\n${email.toLowerCase()}`, 6)
  const actorWith = (mark: string) => (mark === '' ? undefined : staff().find(one => markOf(one) === mark)?.id)
  const markOfId = (id: string) => markOf(staff().find(one => one.id === id) ?? { id, email: '' })

  return {
    staff: (action, subject, actor, now) => {
      const what = `${staffLetters[action]}${subject.toString(36)}`
      const expiry = (Math.ceil(now / 1000) + STAFF_LIFETIME).toString(36)
      const who = actor === undefined ? '' : markOfId(actor)
      return `${consoleUrl}${STAFF_PATH}${signed('staff', `${what}.${expiry}.${who}`)}`
    },

    student: (action, leadId, since) => {
      const what = `${studentLetters[action]}${leadId.toString(36)}`
      return `${learnUrl}${STUDENT_PATH}${signed('student', `${what}.${since.toString(36)}`)}`
    },

    operator: (id, nonce) => {
      const row = id.toString(36)
      return `${consoleUrl}${OPERATOR_PATH}${row}.${mac('operator', `${row}.${nonce}`)}`
    },

    readOperator: token => {
      const [, row = '', given = ''] = OPERATOR_TOKEN.exec(token) ?? []
      if (row === '') return undefined
      return { id: Number.parseInt(row, 36), isFor: nonce => isOurs('operator', `${row}.${nonce}`, given) }
    },

    readStaff: (token, now) => {
      const [, text = '', letter = '', subject = '', expiry = '', who = '', given = ''] = STAFF_TOKEN.exec(token) ?? []
      const action = actionOf(staffLetters, letter)
      if (action === undefined || !isOurs('staff', text, given)) return undefined
      const end = Number.parseInt(expiry, 36)
      const actor = actorWith(who)
      return {
        action,
        subject: Number.parseInt(subject, 36),
        actor,
        left: who !== '' && actor === undefined,
        expired: now > end * 1000,
        signedAt: (end - STAFF_LIFETIME) * 1000,
      }
    },

    readStudent: token => {
      const [, text = '', letter = '', leadId = '', since = '', given = ''] = STUDENT_TOKEN.exec(token) ?? []
      const action = actionOf(studentLetters, letter)
      if (action === undefined || !isOurs('student', text, given)) return undefined
      return { action, leadId: Number.parseInt(leadId, 36), since: Number.parseInt(since, 36) }
    },
  }
}

function actionOf<A extends string>(letters: Record<A, string>, letter: string): A | undefined {
  const found = Object.entries(letters).find(([, its]) => its === letter)
  return found?.[0] as A | undefined
}
