/** Logos as files, which managers can upload instead of entering a URL. */
import { html } from 'hono/html'
import { UPLOADED_LOGOS } from '../../content/brand.ts'
import { imageNameOf, isImageName, LARGEST_SIDE } from '../../platform/image-file.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import { checkbox } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'
import type { Uploaded } from '../versions/form-page.ts'

export const logoFields = ['logoFile', 'logoDarkFile'] as const
export type LogoField = (typeof logoFields)[number]

/** In bytes. Every page and email loads it. */
const LARGEST_LOGO = 200_000

/**
 * Enough for both files and the rest of their form, and even for a photo that is far too large: the error then appears
 * beside its field.
 */
export const LARGEST_BODY = 12_000_000

/** Reads the files that were chosen. A file is known by its content; its name and type may say anything. */
export async function uploadedLogos(form: FormData): Promise<Uploaded> {
  const read: Uploaded = { fields: {}, files: [], problems: [], lost: [] }
  for (const field of logoFields) {
    const file = form.get(field)
    if (!(file instanceof File) || (file.name === '' && file.size === 0)) continue
    const isSmall = file.size <= LARGEST_LOGO
    const bytes = isSmall ? new Uint8Array(await file.arrayBuffer()) : undefined
    const name = bytes && imageNameOf(bytes)
    const has = isSmall ? 'none of these, or a part of one' : `${Math.ceil(file.size / 1000)} kB`
    if (bytes === undefined || name === undefined)
      read.problems.push(
        `school.brand.${field} must be a PNG, JPEG, WebP or GIF of at most 200 kB and ${LARGEST_SIDE} pixels in width and height; this file is ${has}`,
      )
    else {
      Object.assign(read.fields, { [`${field}-now`]: name, [`${field}-remove`]: undefined })
      read.files.push({ name, bytes })
      read.lost.push(`school.brand.${field} must be chosen again, since nothing was saved`)
    }
  }
  return read
}

/** The name of the file that a form refers to, or has just uploaded. */
export const logoFileIn = (fields: Record<string, string | undefined>, field: LogoField): string | undefined =>
  fields[`${field}-remove`] === undefined ? fields[`${field}-now`] || undefined : undefined

/** What is wrong with files that a form refers to, since they may be gone by now. */
export async function goneLogos(
  brand: { [field in LogoField]?: string | undefined },
  files: Uploaded['files'],
  { store }: Pick<ConsoleDeps, 'store'>,
): Promise<string[]> {
  const isThere = async (name: string) =>
    files.some(one => one.name === name) || (isImageName(name) && (await store.readSchoolFile(name)) !== undefined)
  const found = await Promise.all(
    logoFields.map(async field => {
      const name = brand[field]
      return name === undefined || (await isThere(name))
        ? []
        : [`school.brand.${field} must be uploaded again: it is gone`]
    }),
  )
  return found.flat()
}

/** A logo for a page that cannot load anything: the chosen file or, without one, the current file. */
export async function logoInPage(
  name: string | undefined,
  files: Uploaded['files'],
  { store }: Pick<ConsoleDeps, 'store'>,
): Promise<string | undefined> {
  if (name === undefined || !isImageName(name)) return undefined
  const bytes = files.find(one => one.name === name)?.bytes ?? (await store.readSchoolFile(name))
  const type = name.endsWith('.jpg') ? 'jpeg' : name.slice(name.lastIndexOf('.') + 1)
  return bytes && `data:image/${type};base64,${Buffer.from(bytes).toString('base64')}`
}

/** The field for a file, with the file that is in force. */
export function logoFileField(
  { field, label, problem }: { field: LogoField; label: string; problem: Html | '' },
  name: string | undefined,
  { config, settings }: Pick<ConsoleDeps, 'config' | 'settings'>,
): Html {
  const shown = name !== undefined && settings.uploadedLogos?.[name] !== undefined
  const now =
    name === undefined
      ? ''
      : html`<input type="hidden" name="${field}-now" value="${name}">
<div class="logo-now">${shown ? html`<img class="${field}" src="${config.baseUrl}${UPLOADED_LOGOS}${name}" alt="The file in use">` : ''}${checkbox(`${field}-remove`, 'Remove this file', false)}</div>`
  const invalid = problem === '' ? '' : html` aria-invalid="true"`
  return html`<label for="${field}">${label}</label><p class="hint" id="${field}-hint">${field === 'logoDarkFile' ? 'The same kinds of files. It is shown on dark screens, in place of the other logo.' : 'PNG, JPEG, WebP or GIF, at most 200 kB. It is used instead of the URL. A PNG shows in every mail program.'}</p>${problem}${now}
<input id="${field}" name="${field}" type="file" accept="image/png,image/jpeg,image/webp,image/gif" aria-describedby="${field}-hint${problem === '' ? '' : ` ${field}-problem`}"${invalid}>`
}
