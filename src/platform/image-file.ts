/** Image files that people upload. Their first bytes say what they are, whatever their name says. */
import { hash } from 'node:crypto'

/** No SVG: a browser that opens one by itself would run what is in it. */
const starts: [extension: string, isOne: (bytes: Buffer) => boolean][] = [
  ['png', bytes => bytes.toString('hex', 0, 8) === '89504e470d0a1a0a'],
  ['jpg', bytes => bytes.toString('hex', 0, 3) === 'ffd8ff'],
  ['gif', bytes => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))],
  ['webp', bytes => /^RIFF.{4}WEBP$/s.test(bytes.toString('latin1', 0, 12))],
]

/** The name of an image: the digest of its content, and its type as extension. Undefined if it is not such an image. */
export function imageNameOf(content: Uint8Array): string | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const [extension] = starts.find(([, isOne]) => isOne(bytes)) ?? []
  return extension && `${hash('sha256', bytes, 'hex').slice(0, 40)}.${extension}`
}

export const isImageName = (name: string): boolean => /^[0-9a-f]{40}\.(?:png|jpg|gif|webp)$/.test(name)
