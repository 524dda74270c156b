/** Mail as files: if there is no mail server, each message becomes a file that a mail program can open. */
import { randomBytes } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lazy } from '../../platform/lazy.ts'
import { momentInName } from '../../platform/time.ts'
import { forNodemailer, type Mailer, type Message } from './message.ts'

/**
 * A mailer that writes `folder/*.eml`, readable only by us. A file is either complete or absent, and
 * survives a power cut once send() has resolved. Sending the same message again replaces the file.
 */
export function createFileMailer(folder: string): Mailer {
  // CRLF, as on the wire (RFC 5322 section 2.1): some mail programs cannot open anything else.
  const composer = lazy(async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  })

  const sync = sharedSync(folder)

  return {
    destination: folder,

    async send(message) {
      const { message: bytes } = await (await composer()).sendMail(await forNodemailer(message))
      await write(folder, fileName(message), bytes as Buffer)
      await sync()
    },

    async verify() {
      // Only checks: if another user ran this check and created the folder, the service could not write to it.
      await access(`${existingPart(folder)}/`, constants.W_OK)
      return []
    },

    async close() {},
  }
}

/** The folder, or the nearest one above it that exists. */
function existingPart(folder: string): string {
  const parent = dirname(folder)
  return existsSync(folder) || parent === folder ? folder : existingPart(parent)
}

/**
 * Removes the files of messages, which are named by the beginning of their Message-IDs: `notify.12` means every file
 * that begins with it. Returns how many messages there were.
 */
export async function removeCaptured(
  folder: string,
  messages: readonly { kind: string; subject: number }[],
): Promise<number> {
  const unwanted = new Set(messages.map(({ kind, subject }) => `${kind}.${subject}`))
  const files = (await namesIn(folder)).filter(name => unwanted.has(aboutOf(name) ?? ''))
  for (const name of files) await rm(join(folder, name), { force: true })
  if (files.length > 0) await syncFolder(folder)
  return files.filter(name => !name.startsWith('.')).length
}

/** Removes messages' files from before a moment, and drafts that a crash left behind. Returns how many. */
export async function removeOldCaptured(folder: string, { before }: { before: number }): Promise<number> {
  const oldest = momentInName(before)
  const isOld = (name: string) => /^\.?\d{8}T\d{6}Z-/.test(name) && name.replace(/^\./, '') < oldest
  const files = (await namesIn(folder)).filter(isOld)
  for (const name of files) await rm(join(folder, name), { force: true })
  return files.length
}

/** The messages that have files, each once, by the beginning of their Message-IDs. */
export async function listCaptured(folder: string): Promise<{ kind: string; subject: number }[]> {
  const names = await namesIn(folder)
  const all = new Set(names.flatMap(name => aboutOf(name) ?? []))
  return [...all].map(about => {
    const [kind = '', subject] = about.split('.')
    return { kind, subject: Number(subject) }
  })
}

/**
 * The beginning of the Message-ID in the name of a file, such as `notify.12`. The name of a draft that a crash left
 * behind contains it, too.
 */
const aboutOf = (name: string): string | undefined => /^\.?\w+-(\w+\.\d+)\./.exec(name)?.[1]

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Names sort by time and say what the message is: `20261121T071500Z-notify.12.0.5f….eml`. */
function fileName({ date, id }: Message): string {
  const slug = id.slice(0, id.lastIndexOf('@')).replace(/[^A-Za-z0-9._-]+/g, '-')
  return `${momentInName(date.getTime())}-${slug.slice(0, 150)}.eml`
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made !== undefined) await syncFolder(dirname(made))
}

/** Writes a file whose bytes are on the disk once it has its name. Its name is there once the folder is synced. */
async function write(folder: string, name: string, bytes: Buffer): Promise<void> {
  const draft = join(folder, `.${name}.${randomBytes(4).toString('hex')}`)
  try {
    const file = await openIn(folder, draft)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, join(folder, name))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function openIn(folder: string, draft: string) {
  try {
    return await open(draft, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await makeFolder(folder)
    return open(draft, 'wx', 0o600)
  }
}

/** Syncs a folder once for all who ask while it is being synced: each sync begins after they asked. */
function sharedSync(folder: string): () => Promise<void> {
  let underWay = Promise.resolve()
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    next = undefined
    underWay = syncFolder(folder)
    return underWay
  }
  return () => {
    next ??= underWay.then(begin, begin)
    return next
  }
}

/** A new file name is durable only once its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  // Windows does not need this and cannot do it.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
