/** A message as people and their mail programs read it: recipient, text and links. */
import type { TaskKind } from '../../src/store/tables/task-kinds.ts'

export type Mail = {
  id: string
  /** The kind of task, from its Message-ID. */
  kind: TaskKind
  subject: number
  step: number
  to: string
  /** The text part. */
  text: string
  /** The URL at which one POST unsubscribes (RFC 8058). */
  unsubscribe: string | undefined
}

export function readMail(raw: string, to: string): Mail {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n'))
  const id = /^message-id: *<([^>]+)>/im.exec(head)?.[1] ?? 'none'
  const [, kind = 'none', subject, step] = /^([\w-]+)\.(\d+)\.(\d+)\./.exec(id) ?? []
  const unsubscribe = /^list-unsubscribe: *<([^>]+)>/im.exec(head)?.[1]
  return {
    id,
    kind: kind as TaskKind,
    subject: Number(subject),
    step: Number(step),
    to,
    text: textOf(raw),
    unsubscribe,
  }
}

/** The first text part, decoded (RFC 2045 section 6). */
function textOf(raw: string): string {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(raw) ?? []
  const part = raw.split(`--${boundary}`).find(one => /^content-type: text\/plain/im.test(one)) ?? ''
  const end = part.indexOf('\r\n\r\n')
  const [head, body] = [part.slice(0, end), part.slice(end + 4)]
  const [, encoding] = /content-transfer-encoding: *([\w-]+)/i.exec(head) ?? []
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** The URL of the link with this label. */
export const linkOf = ({ text }: Pick<Mail, 'text'>, label: string): string | undefined =>
  new RegExp(`${label.replaceAll(' ', '\\s+')}\\s+<([^>]+)>`).exec(text)?.[1]

/** The URL of every link with an action. */
export const linksOf = ({ text }: Mail): string[] =>
  [...text.matchAll(/<(http[^>]+\/(?:act|mail)\/[^>]+)>/g)].flatMap(([, link]) => link ?? [])

/** The leads under the heading for promised calls, by their links. */
export const readPromised = (mail: Pick<Mail, 'text'>): number[] => readPart(mail, /^Promised a call, .*$/m)

/** The leads under the heading for people who wrote back. */
export const readWroteBack = (mail: Pick<Mail, 'text'>): number[] => readPart(mail, /^They wrote back, .*$/m)

function readPart({ text }: Pick<Mail, 'text'>, heading: RegExp): number[] {
  const [, after = ''] = text.split(heading)
  const [, part = ''] = after.split(/^={3,}$/m)
  return [...part.matchAll(/\/act\/o([0-9a-z]+)\./g)].map(([, id = '']) => Number.parseInt(id, 36))
}
