/** The icon of the pages: the logo or the initial of the school as SVG, and a tile of its color for other programs. */

import { readFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import { isImageName } from '../platform/image-file.ts'
import { type Brand, type BrandSettings, isLoadable, logosOf } from './brand.ts'
import type { Hex } from './colors.ts'
import type { ContentFolder } from './content-files.ts'
import { createTemplates } from './templates.ts'

/** Where the site host publishes the icon. */
export const ICON_PATH = '/favicon.svg'

/**
 * The icon as SVG: the logo if it is a file that can be read at this size, otherwise the initial. Throws an Error that
 * names the file if one is broken.
 */
export const svgIcon = (contentDirs: ContentFolder[], brand: Brand, settings: WithLogos): string =>
  createTemplates(contentDirs, 'markdown').layout('public/favicon.svg')({ brand, logo: logoInIcon(settings) })

/** Settings with the logos in force that were uploaded, by name. */
export type WithLogos = {
  school: { brand: BrandSettings }
  uploadedLogos?: Readonly<Record<string, Uint8Array>> | undefined
}

/** The URL of the icon in a page that is loaded only once. A small icon is part of the page, as a data: URL. */
export function iconUrl(icon: string, baseUrl: string): string {
  const inPage = `data:image/svg+xml,${encodeURIComponent(icon)}`
  return inPage.length <= MOST_IN_PAGE ? inPage : `${baseUrl}${ICON_PATH}`
}

/** The largest icon that is part of a page, in characters. */
const MOST_IN_PAGE = 1500

/** The largest logo to use, in bytes, because browsers load the icon with the first page. */
const MOST_OF_LOGO = 60_000

/** A wider logo would look like a line. */
const WIDEST = 2

/** The logo as a data: URL, since an image loads no other URLs. Null without such a file, or if it would not show. */
function logoInIcon({ school, uploadedLogos = {} }: WithLogos): string | null {
  const { logo } = logosOf(school.brand)
  const bytes = logo === undefined || isLoadable(logo) ? undefined : bytesOf(logo, uploadedLogos)
  if (bytes === undefined) return null
  const { type, width, height } = pngSize(bytes) ?? svgSize(bytes) ?? {}
  const ratio = Number(width) / Number(height)
  const isSeen = ratio <= WIDEST && ratio >= 1 / WIDEST && bytes.length <= MOST_OF_LOGO
  return isSeen ? `data:${type};base64,${bytes.toString('base64')}` : null
}

const bytesOf = (logo: string, uploaded: Readonly<Record<string, Uint8Array>>): Buffer | undefined => {
  if (!isImageName(logo)) return readFileSync(logo)
  return uploaded[logo] && Buffer.from(uploaded[logo])
}

type Size = { type: string; width: number; height: number }

const PNG_START = '89504e470d0a1a0a'

function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || bytes.toString('hex', 0, 8) !== PNG_START) return undefined
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** The size of its view box; without one, its width and height. */
function svgSize(bytes: Buffer): Size | undefined {
  const [tag] = /<svg\b[^>]*>/i.exec(bytes.toString()) ?? []
  if (tag === undefined) return undefined
  const [, box] = /\sviewBox=["']([^"']*)["']/i.exec(tag) ?? []
  const sizeOf = (name: string) => new RegExp(`\\s${name}=["']([\\d.]+)(?:px)?["']`, 'i').exec(tag)?.[1]
  const [width, height] =
    box === undefined
      ? [sizeOf('width'), sizeOf('height')]
      : box
          .trim()
          .split(/[\s,]+/)
          .slice(2)
  return { type: 'image/svg+xml', width: Number(width), height: Number(height) }
}

const SIZE = 32
const RADIUS = 7

/** A tile with round corners, as an ICO file that holds one PNG (32 by 32 pixels). */
export function tileIcon(color: Hex): Buffer {
  const png = pngOf(color)
  const directory = Buffer.alloc(22)
  directory.writeUInt16LE(1, 2)
  directory.writeUInt16LE(1, 4)
  directory.set([SIZE, SIZE, 0, 0, 1, 0, 32, 0], 6)
  directory.writeUInt32LE(png.length, 14)
  directory.writeUInt32LE(directory.length, 18)
  return Buffer.concat([directory, png])
}

/** A PNG (third edition), section 5: signature, header, pixels as rows without a filter, end. */
function pngOf(color: Hex): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIZE, 0)
  header.writeUInt32BE(SIZE, 4)
  // 8 bits for each of red, green, blue and opacity.
  header.set([8, 6], 8)
  return Buffer.concat([
    Buffer.from(PNG_START, 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(pixels(color)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function pixels(color: Hex): number[] {
  const rgb = [...Buffer.from(color.slice(1), 'hex')]
  const places = Array.from({ length: SIZE }, (_, place) => place + 0.5)
  return places.flatMap(y => [0, ...places.flatMap(x => [...rgb, opacityAt(x, y)])])
}

/** 255 inside the tile, 0 outside, and in between at the edge of a corner. */
function opacityAt(x: number, y: number): number {
  const [dx, dy] = [x, y].map(place => Math.max(0, RADIUS - place, place - (SIZE - RADIUS))) as [number, number]
  const outside = Math.hypot(dx, dy) - RADIUS
  return Math.round(255 * Math.min(1, Math.max(0, 0.5 - outside)))
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
