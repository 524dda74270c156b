/** The part of the form editor for the form's own color and logo. */
import { html } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import type { SchoolForm } from '../../config/school-form.ts'
import { brandNotes } from '../../content/brand.ts'
import { isColor } from '../../platform/is-color.ts'
import { foldedSection, TOP } from '../frame/folded-section.ts'
import { checkbox } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'

/** The look that the fields describe; empty if the form has the school's look. */
export function lookIn(fields: Record<string, string | undefined>): Pick<SchoolForm, 'brand'> {
  const of = (name: string) => (fields[`brand-${name}`] ?? '').trim() || undefined
  const [color, logo, logoDark] = [of('own-color') && of('color'), of('logo'), of('logoDark')]
  const brand = {
    ...(color !== undefined && { color: color as `#${string}` }),
    ...(logo !== undefined && { logo }),
    ...(logoDark !== undefined && { logoDark }),
  }
  return Object.keys(brand).length === 0 ? {} : { brand }
}

export function lookFields(
  { brand = {} }: SchoolForm,
  { school }: Settings,
  problemAt: (setting: string) => Html | '',
): Html {
  const { color, logo = '', logoDark = '' } = brand
  const notes = color !== undefined && isColor(color) ? brandNotes({ color }) : []
  return foldedSection(
    'Look',
    { open: Object.keys(brand).length > 0 || problemAt('brand') !== '', folded: 'as the school', shows: TOP },
    html`<p class="hint">Where you choose nothing, the form looks as the school does. Texts and buttons can be read on any color.</p>${problemAt('brand')}
${checkbox('brand-own-color', 'A color of its own', color !== undefined)}
<div class="own-color"><label for="brand-color">Color</label>${problemAt('brand.color')}<input id="brand-color" name="brand-color" type="color" value="${color ?? school.brand.color}">
${notes.map(note => html`<p class="hint">${note.replace(/school\.brand\.(\w+)/g, 'The $1')}</p>`)}</div>
<label for="brand-logo">Logo (optional)</label><p class="hint" id="brand-logo-hint">An https:// URL of an image, shown at most 40 pixels high.</p>${problemAt('brand.logo')}<input id="brand-logo" name="brand-logo" type="url" value="${logo}" maxlength="500" autocomplete="off" aria-describedby="brand-logo-hint">
<label for="brand-logoDark">Logo on dark screens (optional)</label>${problemAt('brand.logoDark')}<input id="brand-logoDark" name="brand-logoDark" type="url" value="${logoDark}" maxlength="500" autocomplete="off">`,
  )
}
