/** The name and the look of the school, as people see it on pages and in emails. */
import { isDeepStrictEqual } from 'node:util'
import { html, raw } from 'hono/html'
import type { SchoolForm } from '../../config/school-form.ts'
import { brandNotes } from '../../content/brand.ts'
import { isImage } from '../../forms/form-preview.ts'
import { isImageName } from '../../platform/image-file.ts'
import { isColor } from '../../platform/is-color.ts'
import { isUrl } from '../../platform/is-url.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { foldedSection } from '../frame/folded-section.ts'
import { fieldsOf, formOf } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'
import { post } from '../frame/routes.ts'
import type { EditedPage } from '../versions/edited-page.ts'
import { type FormPage, formRoutes } from '../versions/form-page.ts'
import { previewPanel, sendPreview } from './live-preview.ts'
import {
  goneLogos,
  LARGEST_BODY,
  type LogoField,
  logoFields,
  logoFileField,
  logoFileIn,
  logoInPage,
  uploadedLogos,
} from './logo-files.ts'

type Brand = Parameters<EditedPage<'brand'>['show']>[0]

/** The facts about the brand, each with a name for people. */
const factsOf = ({ name, phone, website, postalAddress, brand }: Brand): Record<string, string | undefined> => ({
  Name: name,
  Phone: phone,
  Website: website,
  'Postal address': postalAddress,
  Color: brand.color,
  Logo: brand.logo,
  'Logo as a file': brand.logoFile,
  'Logo on dark screens': brand.logoDark,
  'Logo on dark screens as a file': brand.logoDarkFile,
})

/** A digest would not tell anyone which logo it is. */
const inWords = (value: string | undefined): string =>
  value === undefined ? 'none' : isImageName(value) ? `the file ${value.slice(0, 4)}… (${value.split('.')[1]})` : value

export const editedBrand: EditedPage<'brand'> = {
  part: 'brand',
  path: '/brand',
  action: 'edit school',
  differences: (before, after) => {
    const was = factsOf(before)
    return Object.entries(factsOf(after)).flatMap(([name, is]) =>
      isDeepStrictEqual(was[name], is) ? [] : [`${name}: ${inWords(is)} instead of ${inWords(was[name])}.`],
    )
  },
  show: value =>
    html`<section class="panel"><h2>Name and look</h2><dl class="facts">${Object.entries(factsOf(value)).map(([name, is]) => html`<dt>${name}</dt><dd>${inWords(is)}</dd>`)}</dl></section>`,
  forbid: async ({ brand }, deps) => {
    if ((await goneLogos(brand, [], deps)).length > 0)
      throw new ConsoleError(422, 'Nothing was changed: the logo of this version is gone. Upload it again.')
  },
  editFrom: id => html`<a class="button secondary" href="/brand?version=${id}">Edit from here</a>`,
}

const PREVIEW = `${editedBrand.path}/preview`

const brandForm: FormPage<'brand'> = {
  edited: editedBrand,
  title: 'Name and look',
  menu: 'Name and look',
  read: fields => {
    const of = (name: string) => (fields[name] ?? '').trim().replaceAll('\r\n', '\n') || undefined
    const [phone, website, postalAddress] = [of('phone'), of('website'), of('postalAddress')]
    const [logo, logoDark] = [of('logo'), of('logoDark')]
    const [logoFile, logoDarkFile] = logoFields.map(field => logoFileIn(fields, field))
    return {
      name: of('name') ?? '',
      ...(phone !== undefined && { phone }),
      ...(website !== undefined && { website }),
      ...(postalAddress !== undefined && { postalAddress }),
      brand: {
        color: (of('color') ?? '') as `#${string}`,
        ...(logo !== undefined && { logo }),
        ...(logoDark !== undefined && { logoDark }),
        ...(logoFile !== undefined && { logoFile }),
        ...(logoDarkFile !== undefined && { logoDarkFile }),
      },
    }
  },
  files: { largestBody: LARGEST_BODY, read: uploadedLogos },
  // A logo is published, so only files that the settings file names are allowed, not just any file on the server.
  check: async ({ brand }, deps, files) => [
    ...LOGO_URLS.flatMap(name => {
      const logo = brand[name]
      return logo === undefined || isUrl(logo) || filesOf(deps).includes(logo)
        ? []
        : [`school.brand.${name} must be an https:// URL`]
    }),
    ...(await goneLogos(brand, files, deps)),
  ],
  fieldOf: setting => {
    const found = Object.entries(FIELDS_OF).find(([, one]) => one.setting === setting)
    return found && { label: found[1].label, id: found[0] }
  },
  form: (value, deps, problemAt) => {
    const { name, phone = '', website = '', postalAddress = '', brand } = value
    const part = (field: Field, given: string, hint = ''): Html => {
      const { setting, label, optional } = FIELDS_OF[field]
      const problem = problemAt(setting)
      const described = [hint && `${field}-hint`, problem && `${field}-problem`].filter(Boolean).join(' ')
      const attributes = html`id="${field}" name="${field}"${described ? html` aria-describedby="${described}"` : ''}${problem ? raw(' aria-invalid="true"') : ''}`
      return html`<label for="${field}">${label}${optional ? ' (optional)' : ''}</label>${hint && html`<p class="hint" id="${field}-hint">${hint}</p>`}${problem}${
        field === 'postalAddress'
          ? html`<textarea ${attributes} rows="3" maxlength="300">${given}</textarea>`
          : field === 'color'
            ? html`<input ${attributes} type="color" value="${given}">`
            : html`<input ${attributes} value="${given}" maxlength="500" autocomplete="off">`
      }`
    }
    const file = (field: LogoField): Html => {
      const { setting, label } = FIELDS_OF[field]
      return logoFileField({ field, label: `${label} (optional)`, problem: problemAt(setting) }, brand[field], deps)
    }
    const notes = isColor(brand.color) ? brandNotes(brand) : []
    return html`<section class="panel"><h2>Who you are</h2>
${part('name', name, `Every page and email shows it. The sender of an email is “Maria Lopez, ${name}”.`)}
${part('phone', phone, 'Emails to students and the public pages show it.')}
${part('website', website)}
${part('postalAddress', postalAddress, 'By law, every follow-up email must show it. Without it, students get none.')}</section>
<section class="panel"><h2>How you look</h2>
${part('color', brand.color)}
${notes.map(note => html`<p class="hint">${note.replace(/school\.brand\.(\w+)/g, 'The $1')}</p>`)}
${file('logoFile')}
${file('logoDarkFile')}</section>
${foldedSection(
  'Logo by URL',
  {
    open: [brand.logo, brand.logoDark].some(Boolean) || LOGO_URLS.some(field => problemAt(FIELDS_OF[field].setting)),
    folded: 'in place of a file',
  },
  html`${part('logo', brand.logo ?? '', 'An https:// URL of an image, shown at most 40 pixels high. Emails show no SVG, so use a PNG. If there is a file, too, the file is used.')}
${part('logoDark', brand.logoDark ?? '')}`,
)}`
  },
  preview: ({ settings }) => previewPanel(PREVIEW, 'A form with the name and the look', settings),
}

type Field = LogoField | 'name' | 'phone' | 'website' | 'postalAddress' | 'color' | 'logo' | 'logoDark'

/** The fields for logos that are somewhere on the web. */
const LOGO_URLS = ['logo', 'logoDark'] as const

const FIELDS_OF: Record<Field, { setting: string; label: string; optional?: true }> = {
  name: { setting: 'school.name', label: 'Name' },
  phone: { setting: 'school.phone', label: 'Phone' },
  website: { setting: 'school.website', label: 'Website' },
  postalAddress: { setting: 'school.postalAddress', label: 'Postal address' },
  color: { setting: 'school.brand.color', label: 'Color' },
  logoFile: { setting: 'school.brand.logoFile', label: 'Logo as a file' },
  logo: { setting: 'school.brand.logo', label: 'URL of the logo', optional: true },
  logoDarkFile: { setting: 'school.brand.logoDarkFile', label: 'Logo on dark screens as a file' },
  logoDark: { setting: 'school.brand.logoDark', label: 'URL of the logo on dark screens', optional: true },
}

/** The files that the settings file publishes as logos. */
const filesOf = ({ config }: ConsoleDeps): (string | undefined)[] => {
  const { logo, logoDark } = config.fromFile.school.brand
  return [logo, logoDark]
}

/** A short form on which the header, the button and the links can be seen without scrolling. */
async function preview(c: ConsoleContext, deps: ConsoleDeps) {
  const fields = await fieldsOf(c)
  const { files, fields: uploaded } = await uploadedLogos(await formOf(c))
  const { settings } = deps
  const { name, phone, brand } = brandForm.read({ ...fields, ...uploaded }, deps)
  const { phone: _, ...inForce } = settings.school
  const mayShow = (logo: string | undefined): boolean =>
    logo !== undefined && (isImage(logo) || filesOf(deps).includes(logo))
  const shown = async (file: string | undefined, logo: string | undefined) =>
    (await logoInPage(file, files, deps)) ?? (mayShow(logo) ? logo : undefined)
  const logo = await shown(brand.logoFile, brand.logo)
  const logoDark = await shown(brand.logoDarkFile, brand.logoDark)
  const look = {
    color: isColor(brand.color) ? brand.color : inForce.brand.color,
    ...(logo !== undefined && { logo }),
    ...(logoDark !== undefined && { logoDark }),
  }
  const school = { ...inForce, name, ...(phone !== undefined && { phone }), brand: look }
  const form: SchoolForm = { name: 'preview', kind: 'student', questions: [] }
  return sendPreview(c, deps, { form, settings: { ...settings, school }, fields })
}

export const brandRoutes: ConsoleRoute[] = [
  ...formRoutes(brandForm),
  post(PREVIEW, editedBrand.action, preview, { largestBody: LARGEST_BODY }),
]
