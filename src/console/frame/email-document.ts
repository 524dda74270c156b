/** An email as its recipient sees it, as a document of its own that a page of the console shows in a frame. */
import { html, raw } from 'hono/html'
import { logoOrigins } from '../../content/brand.ts'
import type { Content } from '../../mail/messages.ts'
import { OPERATOR_PATH, STAFF_PATH, STUDENT_PATH } from '../../signed-links.ts'
import type { ConsoleContext } from './context.ts'
import type { Html } from './layout.ts'

/**
 * Shows an email with its sender, recipient and subject above it, and the names of its attachments. Nothing in it can
 * run or be followed. Its signed links are left out: anyone who has such a link acts in the recipient's name.
 */
export function emailDocument(
  c: ConsoleContext,
  { to, replyTo, subject, html: body, signedBy, attachments = [] }: Content,
  attached: readonly string[] = attachments.map(({ name }) => name),
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
  return framed(c, raw(body.replaceAll(SIGNED_LINK, '#').replace(/<body[^>]*>/, start => `${start}${head}`)))
}

const SIGNED_LINK = new RegExp(`https?://[^\\s"'<>]*(?:${STAFF_PATH}|${STUDENT_PATH}|${OPERATOR_PATH})[\\w.-]+`, 'g')

/** Says something where an email would be shown. */
export const noEmailDocument = (c: ConsoleContext, words: string, { asTyped = false } = {}) =>
  framed(
    c,
    html`<!doctype html><html lang="en"><head><title>Email</title><meta name="color-scheme" content="light dark"></head><body style="font: 15px/1.5 system-ui, sans-serif; margin: 16px"><p${asTyped ? raw(' style="white-space: pre-wrap"') : ''}>${words}</p></body></html>`,
  )

function framed(c: ConsoleContext, document: Html) {
  const images = logoOrigins(c.get('frame').brand).join(' ')
  c.set(
    'policy',
    `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: ${images}; frame-ancestors 'self'; sandbox`,
  )
  return c.html(document)
}
