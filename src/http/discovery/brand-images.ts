/** The images of the school's brand: the icon in two formats, and the files of the logo. */

import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type Brand, logoFiles } from '../../content/brand.ts'
import type { ContentFolder } from '../../content/content-files.ts'
import { ICON_PATH, svgIcon, tileIcon, type WithLogos } from '../../content/icon.ts'
import { isImageName } from '../../platform/image-file.ts'
import { documentRoute, representation } from '../documents.ts'
import { errors } from '../errors.ts'
import type { Route } from '../router.ts'

const SVG = 'image/svg+xml'

const types: Record<string, string> = {
  '.svg': SVG,
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/** A browser treats an SVG that is opened by itself as a document; nothing in it may run. */
const asImage = {
  'Content-Security-Policy': "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

export const logoTypeOf = (path: string): string => types[extname(path)] ?? 'application/octet-stream'

/** The routes of the images, by path. Throws an Error that names the file if the icon or a logo cannot be read. */
export function brandImageRoutes(
  settings: WithLogos,
  brand: Brand,
  contentDirs: ContentFolder[],
): Record<string, Route> {
  const image = (type: string, body: string | Buffer) => documentRoute(representation(type, body, asImage))
  const logos = Object.entries(logoFiles(settings.school.brand)).map(([path, file]) => [
    path,
    image(logoTypeOf(path), readFileSync(file)),
  ])
  return {
    [ICON_PATH]: image(SVG, svgIcon(contentDirs, brand, settings)),
    '/favicon.ico': image('image/x-icon', tileIcon(brand.light.fill)),
    ...Object.fromEntries(logos),
  }
}

/**
 * The route of the logos that were uploaded, in force or not: emails that were sent show the older ones. Their names are
 * those of their content, so a cache may keep them for good.
 */
export const uploadedLogoRoute = (
  settings: Pick<WithLogos, 'uploadedLogos'>,
  store: { readSchoolFile(name: string): Promise<Uint8Array | undefined> },
): Route => ({
  GET: async (_, name) => {
    const bytes = isImageName(name) ? (settings.uploadedLogos?.[name] ?? (await store.readSchoolFile(name))) : undefined
    if (bytes === undefined) throw errors.notFound()
    const headers = {
      ...asImage,
      'Content-Type': logoTypeOf(name),
      'Cache-Control': 'public, max-age=31536000, immutable',
    }
    return { status: 200, headers, body: Buffer.from(bytes) }
  },
})
