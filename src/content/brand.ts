/** The school's look: its colors, and the sign in the header of every page and email. */
import { extname } from 'node:path'
import { isImageName } from '../platform/image-file.ts'
import { isUrl } from '../platform/is-url.ts'
import type { Hex } from './colors.ts'
import { movedShade, type Palette, type Palettes, palettesOf } from './palette.ts'

export type BrandSettings = {
  color: Hex
  /** An https: URL, or the path of a file, which `logoFiles` publishes. */
  logo?: string | undefined
  logoDark?: string | undefined
  /** Files that were uploaded in the console (`platform/image-file.ts`), which come before the above. */
  logoFile?: string | undefined
  logoDarkFile?: string | undefined
}

/** Where the site host publishes the logos that were uploaded. */
export const UPLOADED_LOGOS = '/logos/'

/** Which logos are in force: each an https: URL, the path of a file of the settings, or the name of an uploaded one. */
export const logosOf = ({ logo, logoDark, logoFile, logoDarkFile }: BrandSettings) => ({
  logo: logoFile ?? logo,
  logoDark: logoDarkFile ?? logoDark,
})

/** The variables that layouts have under `brand`. A value that is not set is null. */
export type Brand = Palettes & {
  /** The `<style>` element with the colors as custom properties, for pages. */
  style: string
  /** The content of that element, for the hash that lets browsers use it. */
  css: string
  /** The same colors for a form's page, light or dark whatever the screen: a class on its root says which. */
  formCss: string
  /** The colors again, for an element: it follows the color scheme of the page around it. */
  elementCss: string
  /** The first letter of the school's name: the sign of a school without a logo. */
  initial: string
  /** The absolute URLs of the logos. */
  logo: string | null
  logo_dark: string | null
  /** The logos for emails, since mail programs do not show SVG. */
  mail_logo: string | null
  mail_logo_dark: string | null
}

/** `baseUrl` is the URL of the site host, which publishes the files of the logos. */
export function createBrand({ name, brand }: { name: string; brand: BrandSettings }, baseUrl: string): Brand {
  const palettes = palettesOf(brand.color)
  const css = customProperties(palettes)
  const inForce = logosOf(brand)
  const logo = urlOf('logo', inForce.logo, baseUrl)
  const logoDark = urlOf('logoDark', inForce.logoDark, baseUrl)
  return {
    ...palettes,
    style: `<style>${css}</style>`,
    css,
    formCss: eitherProperties(':root', palettes),
    elementCss: `:host { display: block; max-width: 40em; }${eitherProperties(':host', palettes)}`,
    initial: initialOf(name),
    logo,
    logo_dark: logoDark,
    mail_logo: isSvg(logo) ? null : logo,
    mail_logo_dark: isSvg(logo) || isSvg(logoDark) ? null : logoDark,
  }
}

/** What a school should know about its look, one sentence each. */
export function brandNotes(brand: BrandSettings): string[] {
  const moved = movedShade(brand.color)
  const { logo } = logosOf(brand)
  const inMail =
    logo !== undefined && /\.svg$/i.test(logo)
      ? 'school.brand.logo is an SVG, which many mail programs do not show: emails have your initial instead. Use a PNG to show it there, too.'
      : undefined
  return [moved, inMail].filter(note => note !== undefined)
}

/** The files of the logos, by the paths at which the site host publishes them. */
export const logoFiles = ({ logo, logoDark }: BrandSettings): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ logo, logoDark }).flatMap(([entry, file]) =>
      file === undefined || isUrl(file) ? [] : [[pathOf(entry, file), file]],
    ),
  )

/** Where the logos come from, for a policy on images: origins other than ours. */
export const logoOrigins = ({ logo, logo_dark }: Brand): string[] => [
  ...new Set([logo, logo_dark].flatMap(url => (url === null || !isUrl(url) ? [] : [new URL(url).origin]))),
]

/** Whether a page can load the logo from there. Previews have it in the page itself. */
export const isLoadable = (logo: string): boolean => isUrl(logo) || logo.startsWith('data:')

function urlOf(entry: string, logo: string | undefined, baseUrl: string): string | null {
  if (logo === undefined) return null
  if (isLoadable(logo)) return logo
  return `${baseUrl}${isImageName(logo) ? `${UPLOADED_LOGOS}${logo}` : pathOf(entry, logo)}`
}

const pathOf = (entry: string, file: string): string =>
  `/${entry === 'logo' ? 'logo' : 'logo-dark'}${extname(file).toLowerCase()}`

const isSvg = (url: string | null): boolean => url !== null && /\.svg$/i.test(new URL(url).pathname)

/** The first letter or digit, as a capital; a dot for a name that has none. */
const initialOf = (name: string): string => /[\p{L}\p{N}]\p{M}*/u.exec(name)?.[0].toLocaleUpperCase('en') ?? '·'

/** Printed pages stay light. */
const customProperties = ({ light, dark, lightMore, darkMore }: Palettes): string => `
:root { color-scheme: light dark; ${properties(light)} }
@media screen and (prefers-color-scheme: dark) { :root { ${properties(dark)} } }
@media (prefers-contrast: more) { :root { ${properties(lightMore)} } }
@media screen and (prefers-contrast: more) and (prefers-color-scheme: dark) { :root { ${properties(darkMore)} } }
@media print { :root { color-scheme: light; } }
`

const eitherProperties = (root: string, { light, dark, lightMore, darkMore }: Palettes): string => `
${root} { ${eitherOf(light, dark)} }
@media (prefers-contrast: more) { ${root} { ${eitherOf(lightMore, darkMore)} } }
`

const eitherOf = (light: Palette, dark: Palette): string =>
  properties(
    Object.fromEntries(
      Object.entries(light).map(([name, color]) => [name, `light-dark(${color}, ${dark[name as keyof Palette]})`]),
    ),
  )

const properties = (palette: Record<string, string>): string =>
  Object.entries(palette)
    .map(([name, color]) => `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}: ${color};`)
    .join(' ')
