/** The shell around every page: navigation, the result of the last action with its undo, and error pages. */
import { html, raw } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { may } from './access.ts'
import type { ConsoleContext, Frame, MailTrouble, MenuGroup } from './context.ts'
import { takeFlash } from './flash.ts'
import { icon } from './icons.ts'
import { withPageOf } from './left-open-pages.ts'
import { menuFor } from './menu.ts'

/** Text with its characters escaped, as the `html` template makes it. */
export type Html = ReturnType<typeof html>

/** A list of sentences, such as problems or changes. */
export const sentences = (texts: readonly string[]): Html => html`<ul>${texts.map(text => html`<li>${text}</li>`)}</ul>`

/** Values that a form sends without showing them, such as the version that its page was made from. */
export const hidden = (fields: Record<string, string | number | undefined>): Html =>
  html`${Object.entries(fields).map(([name, value = '']) => html`<input type="hidden" name="${name}" value="${value}">`)}`

type PageOptions = {
  /** The heading, and the start of the title of the window. */
  title: string
  /** The path of the entry in the navigation that this page belongs to. */
  current?: string
  status?: 200 | 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503
  /** What is beside the heading: buttons, a count. */
  beside?: Html
  /** 'wide' for lists, 'narrow' for pages to read. */
  width?: 'wide' | 'narrow'
  /** Whether the content of the page has the heading in it. */
  ownHeading?: boolean
  /** The browser loads the page again after this many seconds. */
  refresh?: number
}

/** A page for the person who is signed in. */
export function page(c: ConsoleContext, options: PageOptions, body: Html): Response | Promise<Response> {
  const { title, width = 'narrow', beside, ownHeading = false, status = 200 } = options
  const heading = ownHeading ? '' : html`<div class="page-head"><h1>${title}</h1>${beside ?? ''}</div>`
  const whole = documentOf(
    c.get('frame'),
    options,
    html`<a class="skip" href="#main">Skip to the content</a>
<div class="shell" data-operator="${c.get('operator').id}" data-time-zone="${c.get('frame').deps.settings.school.timeZone}">
${sidebar(c, options.current)}
<main id="main" class="${width}" tabindex="-1">
${flashOf(c)}
${factorBanner(c)}
${trouble(c)}
${heading}
${body}
</main>
<p class="hidden" role="status" data-say></p>
</div>`,
  )
  return c.html(withPageOf(c, whole), status)
}

/** The part of a page that its script loads again after a change. `elsewhere`: other places on the page, by name. */
export function livePart(
  c: ConsoleContext,
  part: Html,
  elsewhere: Record<string, Html> = {},
  status: PageOptions['status'] = 200,
): Response | Promise<Response> {
  c.header('x-part', c.req.header('x-part'))
  const flash = c.req.header('x-after') === undefined ? '' : flashOf(c)
  const places = Object.entries({ ...elsewhere, ...(flash && { flash }) })
  const whole = html`${part}${places.map(([name, words]) => html`<template data-for="${name}">${words}</template>`)}`
  return c.html(withPageOf(c, whole), status)
}

/** Says by when someone must have a second factor, and where they set it up. */
function factorBanner(c: ConsoleContext): Html | '' {
  const due = c.get('factorDue')
  if (due === undefined) return ''
  const { settings, clock } = c.get('frame').deps
  const until = createShortDateFormat(settings.school)(due, clock.now())
  const when =
    due > clock.now()
      ? html`<strong>Set up a second factor by ${until}.</strong> From then on, every page leads to your account until you have one.`
      : html`<strong>Set up a second factor now.</strong> The deadline has passed: other pages open again once you have one.`
  return html`<div class="banner" role="status"><p>${when} Choose one: <a class="whole" href="/account/passkeys">a passkey</a> or <a class="whole" href="/account/second-factor">an authenticator app</a>.</p></div>`
}

/** The banners about mail and destinations, each with what to do about it. */
async function trouble(c: ConsoleContext): Promise<Html> {
  const operator = c.get('operator')
  const manages = may(operator, 'manage destinations')
  const troubles = (await c.get('frame').mailTrouble.troubles()).filter(one => manages || !('destination' in one))
  const repairs = may(operator, 'repair delivery')
  return html`${troubles.map(
    one =>
      html`<div class="banner" role="status"><p><strong>${one.title}</strong> ${one.text}${repairs && !one.elsewhere ? whereToRepair(one) : ''}</p></div>`,
  )}`
}

const DELIVERY = '/delivery'

const whereToRepair = ({ person, destination, path = DELIVERY }: MailTrouble): Html =>
  destination !== undefined
    ? html` <a class="whole" href="/destinations/${destination}">See the destination</a>`
    : person === undefined
      ? html` <a class="whole" href="${path}">${path === DELIVERY ? 'See delivery' : 'See more'}</a>`
      : html` Correct the address of ${person} under <a href="/team">Team</a>, then retry under <a href="/delivery">Delivery</a>.`

/** A page for a person who is not signed in: one card in the middle. */
export function cardPage(c: ConsoleContext, options: PageOptions, body: Html): Response | Promise<Response> {
  const frame = c.get('frame')
  return c.html(
    documentOf(
      frame,
      options,
      html`<div class="alone">
<header class="school">${mark(frame)}</header>
<main id="main" class="card">
${flashOf(c)}
<h1>${options.title}</h1>
${body}
</main>
</div>`,
    ),
    options.status ?? 200,
  )
}

/** A page about an error: in the shell if the person is signed in. */
export function errorPage(
  c: ConsoleContext,
  options: PageOptions & { status: NonNullable<PageOptions['status']> },
  body: Html,
): Response | Promise<Response> {
  return c.get('operator') === undefined ? cardPage(c, options, body) : page(c, options, body)
}

function documentOf(frame: Frame, { title, refresh }: PageOptions, body: Html): Html {
  const { deps, assets } = frame
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="htmx-config" content='{"includeIndicatorCSS":false,"history":false}'>
${refresh === undefined ? '' : html`<meta http-equiv="refresh" content="${refresh}">`}
<title>${title} – ${deps.settings.school.name}</title>
<link rel="icon" href="${assets['icon.svg']}" type="image/svg+xml">
<link rel="manifest" href="/manifest.webmanifest">
<link rel="stylesheet" href="${assets['console.css']}">
<script src="${assets['htmx.js']}" defer></script>
<script src="${assets['console.js']}" defer></script>
<script src="${assets['drafts.js']}" type="module"></script>
<script src="${assets['lists.js']}" type="module"></script>
</head>
<body>
${body}
</body>
</html>`
}

function sidebar(c: ConsoleContext, current: string | undefined): Html {
  const frame = c.get('frame')
  const operator = c.get('operator')
  const link = ({ path, title }: { path: string; title: string }) =>
    html`<li><a href="${path}"${path === current ? raw(' aria-current="page"') : ''}>${icon(path)}${title}${countFor(path)}</a></li>`
  const group = ({ title, items }: MenuGroup, index: number) =>
    html`<p id="menu-${index}">${title}</p><ul aria-labelledby="menu-${index}">${items.map(link)}</ul>`
  return html`<header class="sidebar">
<a class="school" href="/">${mark(frame)}</a>
<a class="button secondary to-today" href="${TODAY}">Today${countFor(TODAY)}</a>
<input type="checkbox" id="menu" class="menu-toggle" aria-label="Show the menu">
<label for="menu" class="menu-button" aria-hidden="true">Menu</label>
<nav aria-label="Pages">${menuFor(operator, frame.menu).map(group)}</nav>
<div class="me">
<a href="/account"${current === '/account' ? raw(' aria-current="page"') : ''}>${icon('/account')}<span>${operator.name}</span></a>
<form method="post" action="/sign-out"><button class="plain">Sign out</button></form>
</div>
</header>`
}

const TODAY = '/today'

/** What waits on a page: its name in the counts that the script asks for, and its words. */
const counted: Record<string, readonly [name: string, words: string]> = {
  [TODAY]: ['now', 'to call now'],
  '/inbox': ['wroteBack', 'wrote back'],
  '/quarantine': ['quarantined', 'to decide about'],
  '/delivery': ['failed', 'not delivered'],
}

/** How much waits on a page, beside the link to it. The script fills it in and keeps it up to date. */
function countFor(path: string): Html | '' {
  const [name, words] = counted[path] ?? []
  return name === undefined
    ? ''
    : html`<span class="count" data-count="${name}" hidden title="${words}"><span data-number></span><span class="hidden"> ${words}</span></span>`
}

function mark({ brand, deps }: Frame): Html {
  const { name } = deps.settings.school
  if (brand.logo === null) {
    return html`<span class="mark" aria-hidden="true">${brand.initial}</span><span>${name}</span>`
  }
  const dark = brand.logo_dark ? html`<source srcset="${brand.logo_dark}" media="(prefers-color-scheme: dark)">` : ''
  return html`<picture>${dark}<img class="logo${brand.logo_dark ? '' : ' plate'}" src="${brand.logo}" alt="${name}"></picture>`
}

/** What the last action did; its undo stays for as long as the page. */
function flashOf(c: ConsoleContext): Html | '' {
  const flash = takeFlash(c)
  if (flash === undefined) return ''
  const { undo, offer } = flash
  const button =
    undo === undefined
      ? ''
      : html`<form method="post" action="${undo.path}">
${hidden(undo.fields ?? {})}
<button class="plain">Undo</button></form>`
  return html`<div class="flash" role="status" tabindex="-1" data-flash><p>${flash.text}</p>${button}${
    offer === undefined
      ? ''
      : html`<form method="post" action="${offer.path}" class="offer"><span>${offer.words}</span>${offer.choices.map(
          ({ value, name }) => html`<button class="plain" name="${offer.name}" value="${value}">${name}</button>`,
        )}</form>`
  }</div>`
}
