/** The name and the look of the school, as people see it on pages and in emails. */
import { isDeepStrictEqual } from 'node:util'
import { html } from 'hono/html'
import type { SchoolForm } from '../../config/school-form.ts'
import { brandNotes } from '../../content/brand.ts'
import { isImage } from '../../forms/form-preview.ts'
import { isColor } from '../../platform/is-color.ts'
import { isUrl } from '../../platform/is-url.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { fieldsOf } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'
import { post } from '../frame/routes.ts'
import type { EditedPage } from '../versions/edited-page.ts'
import { type FormPage, formRoutes } from '../versions/form-page.ts'
import { previewPanel, sendPreview } from './live-preview.ts'

type Brand = Parameters<EditedPage<'brand'>['show']>[0]

/** The facts about the brand, each with a name for people. */
const factsOf = ({ name, phone, website, postalAddress, brand }: Brand): Record<string, string | undefined> => ({
  Name: name,
  Phone: phone,
  Website: website,
  'Postal address': postalAddress,
  Color: brand.color,
  Logo: brand.logo,
  'Logo on dark screens': brand.logoDark,
})

export const editedBrand: EditedPage<'brand'> = {
  part: 'brand',
  path: '/brand',
  action: 'edit school',
  differences: (before, after) => {
    const was = factsOf(before)
    return Object.entries(factsOf(after)).flatMap(([name, is]) =>
      isDeepStrictEqual(was[name], is) ? [] : [`${name}: ${is ?? 'none'} instead of ${was[name] ?? 'none'}.`],
    )
  },
  show: value =>
    html`<section class="panel"><h2>Name and look</h2><dl class="facts">${Object.entries(factsOf(value)).map(([name, is]) => html`<dt>${name}</dt><dd>${is ?? 'none'}</dd>`)}</dl></section>`,
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
    return {
      name: of('name') ?? '',
      ...(phone !== undefined && { phone }),
      ...(website !== undefined && { website }),
      ...(postalAddress !== undefined && { postalAddress }),
      brand: {
        color: (of('color') ?? '') as `#${string}`,
        ...(logo !== undefined && { logo }),
        ...(logoDark !== undefined && { logoDark }),
      },
    }
  },
  // A logo is published, so it must not be any other file of the server: only files that the settings file names are
  // allowed.
  check: ({ brand }, deps) =>
    (['logo', 'logoDark'] as const).flatMap(name => {
      const logo = brand[name]
      return logo === undefined || isUrl(logo) || filesOf(deps).includes(logo)
        ? []
        : [`school.brand.${name} must be an https:// URL`]
    }),
  form: (value, _, problemAt) => {
    const { name, phone = '', website = '', postalAddress = '', brand } = value
    const input = (field: string, label: string, given: string, hint = ''): Html =>
      html`<label for="${field}">${label}</label>${hint === '' ? '' : html`<p class="hint" id="${field}-hint">${hint}</p>`}${problemAt(SETTINGS[field] ?? '')}<input id="${field}" name="${field}" value="${given}" maxlength="500" autocomplete="off">`
    const notes = isColor(brand.color) ? brandNotes(brand) : []
    return html`<section class="panel"><h2>Who you are</h2>
${input('name', 'Name', name, `Every page and email shows it. The sender of an email is “Maria Lopez, ${name}”.`)}
${input('phone', 'Phone', phone, 'Emails to students and the public pages show it.')}
${input('website', 'Website', website)}
<label for="postalAddress">Postal address</label><p class="hint" id="postalAddress-hint">By law, every follow-up email must show it. Without it, students get none.</p>${problemAt('school.postalAddress')}<textarea id="postalAddress" name="postalAddress" rows="3" maxlength="300">${postalAddress}</textarea></section>
<section class="panel"><h2>How you look</h2>
<label for="color">Color</label>${problemAt('school.brand.color')}<input id="color" name="color" type="color" value="${brand.color}">
${notes.map(note => html`<p class="hint">${note.replace(/school\.brand\.(\w+)/g, 'The $1')}</p>`)}
${input('logo', 'Logo (optional)', brand.logo ?? '', 'An https:// URL of an image, shown at most 40 pixels high. Emails show no SVG, so use a PNG.')}
${input('logoDark', 'Logo on dark screens (optional)', brand.logoDark ?? '')}</section>`
  },
  preview: ({ settings }) => previewPanel(PREVIEW, 'A form with the name and the look', settings),
}

const SETTINGS: Record<string, string> = {
  name: 'school.name',
  phone: 'school.phone',
  website: 'school.website',
  logo: 'school.brand.logo',
  logoDark: 'school.brand.logoDark',
}

/** The files that the settings file publishes as logos. */
const filesOf = ({ config }: ConsoleDeps): (string | undefined)[] => {
  const { logo, logoDark } = config.fromFile.school.brand
  return [logo, logoDark]
}

/** A short form on which the header, the button and the links can be seen without scrolling. */
async function preview(c: ConsoleContext, deps: ConsoleDeps) {
  const fields = await fieldsOf(c)
  const { settings } = deps
  const { name, phone, brand } = brandForm.read(fields, deps)
  const { phone: _, ...inForce } = settings.school
  const mayShow = (logo: string | undefined): boolean =>
    logo !== undefined && (isImage(logo) || filesOf(deps).includes(logo))
  const look = {
    color: isColor(brand.color) ? brand.color : inForce.brand.color,
    ...(mayShow(brand.logo) && { logo: brand.logo }),
    ...(mayShow(brand.logoDark) && { logoDark: brand.logoDark }),
  }
  const school = { ...inForce, name, ...(phone !== undefined && { phone }), brand: look }
  const form: SchoolForm = { name: 'preview', kind: 'student', questions: [] }
  return sendPreview(c, deps, { form, settings: { ...settings, school }, fields })
}

export const brandRoutes: ConsoleRoute[] = [...formRoutes(brandForm), post(PREVIEW, editedBrand.action, preview)]
