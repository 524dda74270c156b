/** The images of the school's brand: the icon in two formats, and the files of the logo. */

import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type Brand, type BrandSettings, logoFiles } from '../../content/brand.ts'
import type { ContentFolder } from '../../content/content-files.ts'
import { ICON_PATH, svgIcon, tileIcon } from '../../content/icon.ts'
import { documentRoute, representation } from '../documents.ts'
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
  settings: BrandSettings,
  brand: Brand,
  contentDirs: ContentFolder[],
): Record<string, Route> {
  const image = (type: string, body: string | Buffer) => documentRoute(representation(type, body, asImage))
  const logos = Object.entries(logoFiles(settings)).map(([path, file]) => [
    path,
    image(logoTypeOf(path), readFileSync(file)),
  ])
  return {
    [ICON_PATH]: image(SVG, svgIcon(contentDirs, brand, settings)),
    '/favicon.ico': image('image/x-icon', tileIcon(brand.light.fill)),
    ...Object.fromEntries(logos),
  }
}
