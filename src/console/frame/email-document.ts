/** An email as its recipient sees it, as a document of its own that a page of the console shows in a frame. */
import { html, raw } from 'hono/html'
import { logoOrigins } from '../../content/brand.ts'
import { inMode, type Mode } from '../../content/in-mode.ts'
import type { Content } from '../../mail/messages.ts'
import { OPERATOR_PATH, STAFF_PATH, STUDENT_PATH } from '../../signed-links.ts'
import type { ConsoleContext } from './context.ts'

/**
 * Shows an email with its sender, recipient and subject above it, and the names of its attachments. Scripts do not run,
 * and links cannot be followed. Signed links are left out, since anyone who has one can act in the recipient's name.
 */
export function emailDocument(
  c: ConsoleContext,
  { to, replyTo, subject, html: body, signedBy, attachments = [] }: Content,
  {
    attached = attachments.map(({ name }) => name),
    mode,
  }: { attached?: readonly string[]; mode?: Mode | undefined } = {},
) {
  const { config, settings } = c.get('frame').deps
  const from = [signedBy, settings.school.name].filter(Boolean).join(', ')
  const facts = [
    ['From', `${from} <${config.mailFrom}>`],
    ['To', to.address],
    ...(replyTo === undefined ? [] : [['Replies to', replyTo.address]]),
    ['Subject', subject],
    ...(attached.length === 0 ? [] : [['Attached', attached.join(', ')]]),
  ]
  const head = html`<div style="border-bottom: 1px solid #888888; color: inherit; font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; padding: 12px 16px">${facts.map(
    ([label, value]) => html`<div><strong>${label}:</strong> ${value}</div>`,
  )}</div>`
  return framed(c, `${body.replaceAll(SIGNED_LINK, '#').replace(/<body[^>]*>/, start => `${start}${head}`)}`, mode)
}

const SIGNED_LINK = new RegExp(`https?://[^\\s"'<>]*(?:${STAFF_PATH}|${STUDENT_PATH}|${OPERATOR_PATH})[\\w.-]+`, 'g')

/** Shows a text in place of an email. */
export const noEmailDocument = (
  c: ConsoleContext,
  words: string,
  { asTyped = false, mode }: { asTyped?: boolean; mode?: Mode | undefined } = {},
) =>
  framed(
    c,
    `${html`<!doctype html><html lang="en"><head><title>Email</title><meta name="color-scheme" content="light dark"></head><body style="font: 15px/1.5 system-ui, sans-serif; margin: 16px"><p${asTyped ? raw(' style="white-space: pre-wrap"') : ''}>${words}</p></body></html>`}`,
    mode,
  )

/** Without a mode, the document follows the screen. */
function framed(c: ConsoleContext, document: string, mode: Mode | undefined) {
  const images = logoOrigins(c.get('frame').brand).join(' ')
  c.set(
    'policy',
    `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: ${images}; frame-ancestors 'self'; sandbox`,
  )
  return c.html(mode === undefined ? document : inMode(document, mode))
}
