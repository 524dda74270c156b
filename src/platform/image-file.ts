/** Image files that people upload. Their bytes say what they are, whatever their name says. */
import { hash } from 'node:crypto'

/** In pixels, for width and height. A small file may be one of many million pixels, which a phone cannot decode. */
export const LARGEST_SIDE = 4000

type Size = [width: number, height: number]

/** `size` is called once beginning and end were found; it returns undefined, or throws a RangeError, without a size. */
type ImageType = {
  extension: string
  start: RegExp
  end: (bytes: Buffer) => boolean
  size: (bytes: Buffer) => Size | undefined
}

/** SVG is not allowed: a browser that opens one directly would run its scripts. */
const types: ImageType[] = [
  {
    extension: 'png',
    start: /^\x89PNG\r\n\x1a\n/,
    end: bytes => bytes.includes('IEND\xaeB`\x82', 0, 'latin1'),
    size: bytes => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
  },
  { extension: 'jpg', start: /^\xff\xd8\xff/, end: bytes => bytes.includes('\xff\xd9', 2, 'latin1'), size: sizeOfJpeg },
  {
    extension: 'gif',
    start: /^GIF8[79]a/,
    end: bytes => bytes.at(-1) === 0x3b,
    size: bytes => [bytes.readUInt16LE(6), bytes.readUInt16LE(8)],
  },
  {
    extension: 'webp',
    start: /^RIFF.{4}WEBP/s,
    end: bytes => bytes.length >= bytes.readUInt32LE(4) + 8,
    size: sizeOfWebp,
  },
]

/** From the first segment that begins a frame (ITU T.81, B.2.2). */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
  }
  return undefined
}

/** RFC 9649: extended, lossless or lossy. */
function sizeOfWebp(bytes: Buffer): Size | undefined {
  const chunk = bytes.toString('latin1', 12, 16)
  if (chunk === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]
  if (chunk === 'VP8 ') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
  if (chunk !== 'VP8L') return undefined
  const bits = bytes.readUInt32LE(21)
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
}

const isSmall = (side: number): boolean => side > 0 && side <= LARGEST_SIDE

/** Whether a file that begins like an image of a type is one, is whole, and is not too large. */
function isWhole({ end, size }: ImageType, bytes: Buffer): boolean {
  try {
    return end(bytes) && (size(bytes)?.every(isSmall) ?? false)
  } catch {
    return false
  }
}

/** The name of an image: the digest of its content, and its type as extension. Undefined if it is not such an image. */
export function imageNameOf(content: Uint8Array): string | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const type = types.find(({ start }) => start.test(bytes.toString('latin1', 0, 12)))
  if (type === undefined || !isWhole(type, bytes)) return undefined
  return `${hash('sha256', bytes, 'hex').slice(0, 40)}.${type.extension}`
}

export const isImageName = (name: string): boolean => /^[0-9a-f]{40}\.(?:png|jpg|gif|webp)$/.test(name)
