/** The icon of the pages: the sign of the school as SVG, and a tile of its color for programs without SVG. */

import { crc32, deflateSync } from 'node:zlib'
import type { Brand } from './brand.ts'
import type { Hex } from './colors.ts'
import type { ContentFolder } from './content-files.ts'
import { createTemplates } from './templates.ts'

/** The icon as SVG. Throws an Error that names the file if it is broken. */
export const svgIcon = (contentDirs: ContentFolder[], brand: Brand): string =>
  createTemplates(contentDirs, 'markdown').layout('public/favicon.svg')({ brand })

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

/** PNG (third edition), section 5: signature, header, pixels as rows without a filter, end. */
function pngOf(color: Hex): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIZE, 0)
  header.writeUInt32BE(SIZE, 4)
  // 8 bits for each of red, green, blue and opacity.
  header.set([8, 6], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
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
