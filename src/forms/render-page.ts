/** The page around the section of a form: a page of its own, a bare page in an iframe, or a fragment. */
import { html, raw } from 'hono/html'
import type { Config } from '../config/config.ts'
import type { SchoolForm } from '../config/school-form.ts'
import { formsOf } from '../config/school-forms.ts'
import { type Brand, type BrandSettings, createBrand, logoOrigins } from '../content/brand.ts'
import { telLink } from '../content/contact-links.ts'
import { type ContentFolder, readContent } from '../content/content-files.ts'
import { iconUrl, svgIcon } from '../content/icon.ts'
import { pageSecurity } from '../http/page-security.ts'
import type { Headers } from '../http/router.ts'
import { FORM_SCRIPT } from '../http/urls.ts'
import type { Placement } from '../leads/body/form-details.ts'
import { writingDirection } from '../leads/body/languages.ts'
import type { FormFacts } from './form-facts.ts'
import type { FormRequest, Theme } from './form-request.ts'
import type { Html } from './render-field.ts'
import { callUs, introductionOf, titleOf } from './render-form.ts'

export type PageOptions = {
  title: string
  placement: Placement
  theme: Theme
  /** Whether it has no script: browsers would report a script that is not allowed to run. */
  preview: boolean
  /** Whether many people use it on one device, whose links would leave the form. */
  kiosk: boolean
  others: readonly { language: string; name: string; url: string }[]
}

export type Shell = {
  /** The document around a section. */
  document(facts: FormFacts, section: Html, options: PageOptions): string
  /** For the script: the title, the styles on request, and the section. */
  fragment(facts: FormFacts, section: Html, options: { title: string; styled: boolean }): string
  /** The headers of every response of a form: who may show it in a frame or as an element. */
  headers(facts: FormFacts, asked: FormRequest): Headers
}

/** Throws an Error that names the file if the styles cannot be read. */
export function createShell(config: Config, contentDirs: ContentFolder[]): Shell {
  const { settings, baseUrl } = config
  const { school, contacts, forms } = settings
  const [formStyles, pageStyles] = ['forms/form.css', 'forms/page.css'].map(file => readContent(file, contentDirs))
  const formAction = `form-action 'self'${originsOf(formsOf(settings).map(({ sentUrl }) => sentUrl))}`
  const lookWith = (brand: Brand) => {
    const styles = [brand.formCss, formStyles ?? '', pageStyles ?? '']
    const policy = {
      styles,
      images: ['data:', ...logoOrigins(brand)],
      allowed: ["script-src 'self'", "connect-src 'self'", formAction],
    }
    // A page with a strict policy would report styles outside of a template, so they are in a template.
    const template = `<template><style>${brand.elementCss}${formStyles}</style></template>\n`
    return {
      brand,
      styles,
      template,
      own: pageSecurity('forms', '', policy),
      framed: pageSecurity('forms', '', { ...policy, frames: frameAncestors(forms.embedOn, baseUrl) }),
    }
  }
  const ofSchool = lookWith(createBrand(school, baseUrl))
  const icon = iconUrl(svgIcon(contentDirs, ofSchool.brand, settings), baseUrl)
  const ofForms = new Map(
    formsOf(settings).flatMap(({ name, brand }) =>
      brand === undefined
        ? []
        : [[name, lookWith(createBrand({ name: school.name, brand: brandOf(brand, school.brand) }, baseUrl))] as const],
    ),
  )
  const lookOf = ({ form }: FormFacts) => ofForms.get(form.name) ?? ofSchool

  const document = (facts: FormFacts, section: Html, options: PageOptions): string => {
    const { language, words } = facts
    const { brand, styles } = lookOf(facts)
    const bare = options.placement === 'iframe'
    return html`<!doctype html>
<html lang="${language}" dir="${writingDirection(language)}"${options.theme === 'auto' ? '' : raw(` class="${options.theme}"`)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${options.theme === 'auto' ? 'light dark' : options.theme}">
<title>${options.title} – ${school.name}</title>
<meta name="description" content="${descriptionOf(facts)}">
${shareTags(facts, options.title)}<link rel="icon" href="${icon}" type="image/svg+xml">
${styles.map(style => html`<style>${raw(style)}</style>\n`)}${options.preview ? '' : html`<script src="${FORM_SCRIPT}" defer></script>\n`}</head>
<body${bare ? raw(' class="bare"') : ''}>
${bare ? '' : header(options)}<main${options.preview ? raw(' inert') : ''}>
${section}${bare ? html`\n<div class="call">${callUs(facts, words.trouble.callInstead)}</div>` : ''}
</main>
${bare ? '' : footer(options)}</body>
</html>
`.toString()

    function header({ others, theme }: PageOptions): Html {
      const links = others.map(
        ({ language: other, name, url }) => html`<a href="${url}" lang="${other}" hreflang="${other}">${name}</a>`,
      )
      return html`<header>
<div class="school">${sign(brand, school.name, theme)}</div>${
        links.length === 0 ? '' : html`\n<nav aria-label="${words.form.otherLanguages}">${links}</nav>`
      }
</header>\n`
    }

    function footer({ kiosk }: PageOptions): Html {
      const { phone, country } = school
      return html`<footer>
<span>${school.name}</span>${phone === undefined ? '' : html`\n${kiosk ? html`<span>${phone}</span>` : html`<a href="${telLink(phone, country)}">${phone}</a>`}`}${
        contacts.privacy === undefined ? '' : html`\n<a href="${contacts.privacy}">${words.form.privacy}</a>`
      }
</footer>\n`
    }
  }

  /** What a link to the page shows in a message or a post (ogp.me). */
  const shareTags = (facts: FormFacts, title: string): Html => html`<meta property="og:title" content="${title}">
<meta property="og:description" content="${introductionOf(facts).replace(/\s+/g, ' ')}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${school.name}">
${ogImage(lookOf(facts).brand)}`

  const fragment: Shell['fragment'] = (facts, section, { title, styled }) =>
    html`<title>${title} – ${school.name}</title>\n${styled ? raw(lookOf(facts).template) : ''}${section}\n`.toString()

  const headers: Shell['headers'] = (facts, { placement, site }) => ({
    ...lookOf(facts)[placement === 'iframe' ? 'framed' : 'own'],
    ...(placement === 'hosted' ? {} : readableBy(forms.embedOn, baseUrl, site)),
    'Content-Type': 'text/html; charset=utf-8',
  })

  return { document, fragment, headers }
}

/** A logo of the form comes with its own variant for dark screens, or without one. */
const brandOf = (
  { color, logo, logoDark }: NonNullable<SchoolForm['brand']>,
  ofSchool: BrandSettings,
): BrandSettings => ({
  ...ofSchool,
  ...(color !== undefined && { color }),
  ...(logo !== undefined && { logo, logoDark, logoFile: undefined, logoDarkFile: undefined }),
})

const ogImage = ({ mail_logo: logo }: Brand): Html | '' =>
  logo === null ? '' : html`<meta property="og:image" content="${logo}">\n`

/** The text that search engines show about the page. */
const descriptionOf = (facts: FormFacts): string => `${titleOf(facts)}: ${introductionOf(facts).replace(/\s+/g, ' ')}`

/** The logo of the school, or its initial and name. */
function sign({ initial, logo, logo_dark: logoDark }: Brand, name: string, theme: Theme): Html {
  if (logo === null) return html`<span class="mark" aria-hidden="true">${initial}</span>${name}`
  if (logoDark === null) return html`<img class="logo plate" src="${logo}" alt="${name}">`
  const source = html`<source srcset="${logoDark}" media="(prefers-color-scheme: dark)">`
  return html`<picture>${theme === 'auto' ? source : ''}<img class="logo" src="${theme === 'dark' ? logoDark : logo}" alt="${name}"></picture>`
}

/** The origins that a form may lead to. Browsers check a redirect after a post, too (CSP Level 3, form-action). */
const originsOf = (urls: readonly (string | undefined)[]): string =>
  [...new Set(urls.flatMap(url => (url === undefined ? [] : ` ${new URL(url).origin}`)))].join('')

/** 'any', or the origins of sites, such as `https://www.example.edu`. */
type EmbedOn = 'any' | readonly string[]

/** The directive `frame-ancestors` of a policy (Content Security Policy Level 3). Our page about forms shows one. */
const frameAncestors = (embedOn: EmbedOn, baseUrl: string): string =>
  `frame-ancestors ${embedOn === 'any' ? '*' : ["'self'", baseUrl, ...embedOn].join(' ')}`

/**
 * Lets the script of a page read the form, unless the page is on a site that may not embed it. Then the header names
 * `own`, an origin of ours, instead, and the element on that page keeps showing its link. The header depends on the
 * Origin of the request, so the response has a Vary header.
 */
const readableBy = (embedOn: EmbedOn, own: string, origin: string | undefined): Headers =>
  embedOn === 'any'
    ? {}
    : { 'Access-Control-Allow-Origin': origin !== undefined && embedOn.includes(origin) ? origin : own }
