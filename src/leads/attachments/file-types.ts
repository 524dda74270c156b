/**
 * Which files we accept as attachments: documents, tables and pictures, recognized by their content. We do not trust
 * their names, or what an email says about them, with one exception: a file whose name says that it is dangerous is
 * rejected.
 */
import type { NotStored } from './attachment.ts'
import { extensionOf, withExtension } from './file-name.ts'

export type FileType = {
  /** The media type with which we send it. */
  type: string
  /** Its extensions; the first is the usual one. */
  extensions: readonly [string, ...string[]]
}

const pdf = { type: 'application/pdf', extensions: ['pdf'] } as const
const jpeg = { type: 'image/jpeg', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'] } as const
const png = { type: 'image/png', extensions: ['png'] } as const
const gif = { type: 'image/gif', extensions: ['gif'] } as const
const webp = { type: 'image/webp', extensions: ['webp'] } as const
const heic = { type: 'image/heic', extensions: ['heic', 'heif', 'hif'] } as const
const tiff = { type: 'image/tiff', extensions: ['tif', 'tiff'] } as const
const rtf = { type: 'application/rtf', extensions: ['rtf'] } as const
const text = { type: 'text/plain', extensions: ['txt', 'text', 'csv'] } as const

const OFFICE = 'application/vnd.openxmlformats-officedocument.'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'
/** Documents that are archives of a known form. */
const zipped = [
  { type: `${OFFICE}wordprocessingml.document`, extensions: ['docx'] },
  { type: `${OFFICE}spreadsheetml.sheet`, extensions: ['xlsx'] },
  { type: `${OFFICE}presentationml.presentation`, extensions: ['pptx'] },
  { type: `${OPEN_DOCUMENT}text`, extensions: ['odt'] },
  { type: `${OPEN_DOCUMENT}spreadsheet`, extensions: ['ods'] },
  { type: `${OPEN_DOCUMENT}presentation`, extensions: ['odp'] },
] as const satisfies FileType[]

const accepted: readonly FileType[] = [pdf, jpeg, png, gif, webp, heic, tiff, rtf, text, ...zipped]

/** For the `accept` of a file field. */
export const acceptedExtensions = accepted.flatMap(({ extensions }) => extensions.map(one => `.${one}`))

/** The extensions of files that we do not accept, by the reason. */
const rejected: Partial<Record<NotStored, string>> = {
  program:
    'exe msi com scr pif bat cmd ps1 psm1 vbs vbe js jse mjs wsf wsh hta cpl dll sys jar apk app dmg pkg deb rpm sh bash command lnk url reg scf inf iso img vhd msc ade adp appx msix xll gadget py pl rb php',
  'web page': 'html htm xhtml shtml mht mhtml svg svgz xml xsl webarchive',
  archive: 'zip rar 7z gz tgz tar bz2 xz zst cab ace arj lzh zipx',
  macros: 'doc dot docm dotm xls xlt xlsm xltm xlsb xlam ppt pot pps pptm potm ppsm ppam',
  email: 'eml msg tnef',
}
const rejectedExtensions = new Map(
  Object.entries(rejected).flatMap(([why, list]) => list.split(' ').map(one => [one, why as NotStored])),
)

/** The type of a file can be told from this many bytes at its beginning. */
export const TELLING_BYTES = 4096

/**
 * The type of a file by its first bytes, with a name for storing it whose extension fits the type; or the reason why
 * the file is not accepted. `whole`: these are all of its bytes.
 */
export function fileTypeOf(
  name: string,
  bytes: Uint8Array,
  { whole = false } = {},
): { type: string; name: string } | { rejected: NotStored } {
  if (whole && bytes.length === 0) return { rejected: 'empty' }
  const extension = extensionOf(name)
  const byName = rejectedExtensions.get(extension)
  if (byName !== undefined) return { rejected: byName }
  const found = typeOf(bytes.subarray(0, TELLING_BYTES), extension)
  if (typeof found === 'string') return { rejected: found }
  const known = found.extensions.includes(extension)
  // The extension of another accepted type is a mistake, such as a JPEG called .png. Anything else may be part of the
  // name.
  const mistaken = accepted.some(({ extensions }) => extensions.includes(extension))
  if (known) return { type: found.type, name }
  const [usual] = found.extensions
  return { type: found.type, name: mistaken ? withExtension(name, usual) : `${name || 'attachment'}.${usual}` }
}

/** Why a file is certainly not accepted, judging by its name alone; undefined if its bytes must decide. */
export const rejectedByName = (name: string): NotStored | undefined => rejectedExtensions.get(extensionOf(name))

function typeOf(bytes: Uint8Array, extension: string): FileType | NotStored {
  const start = Buffer.from(bytes).toString('latin1')
  for (const [pattern, type] of SIGNATURES) if (pattern.test(start)) return type
  if (start.startsWith('PK\x03\x04')) return zippedType(start, extension)
  return looksLikeText(bytes) ? textType(start) : 'other'
}

/** The first bytes of each type. */
const SIGNATURES: readonly (readonly [RegExp, FileType | NotStored])[] = [
  // biome-ignore-start lint/suspicious/noControlCharactersInRegex: signatures of files
  [/^(?:\xef\xbb\xbf)?\s{0,16}%PDF-/, pdf],
  [/^\xff\xd8\xff/, jpeg],
  [/^\x89PNG\r\n\x1a\n/, png],
  [/^GIF8[79]a/, gif],
  [/^RIFF[\s\S]{4}WEBP/, webp],
  [/^[\s\S]{4}ftyp(?:heic|heix|heim|heis|hevc|hevx|mif1|msf1|avif)/, heic],
  [/^(?:II\*\0|MM\0\*)/, tiff],
  [/^\{\\rtf/, rtf],
  // Programs for Windows, Linux and macOS, compiled Java, and scripts.
  [
    /^(?:MZ|\x7fELF|[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\xca\xfe\xba\xbe|#!|dex\n|L\0\0\0\x01\x14\x02\0)/,
    'program',
  ],
  [/^(?:Rar!|7z\xbc\xaf|\x1f\x8b|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|MSCF|PK\x05\x06)/, 'archive'],
  // The older formats of Office, and installers of Windows.
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, 'macros'],
  // biome-ignore-end lint/suspicious/noControlCharactersInRegex: signatures of files
]

/** The first files in the archive say whether it is a document. */
function zippedType(start: string, extension: string): FileType | NotStored {
  const openDocument = /^[\s\S]{30}mimetype(application\/vnd\.oasis\.opendocument\.[a-z]+)/.exec(start)?.[1]
  const office = /^[\s\S]{30}(?:\[Content_Types\]\.xml|_rels\/|docProps\/|word\/|xl\/|ppt\/|customXml\/)/.test(start)
  const type = zipped.find(({ extensions: [one] }) => one === extension)
  if (type === undefined) return 'archive'
  const matches = type.type.startsWith(OFFICE) ? office : openDocument === type.type
  return matches ? type : 'archive'
}

/** Whether there is no NUL and few other controls: then it is text, in any encoding but UTF-16. */
function looksLikeText(bytes: Uint8Array): boolean {
  return !bytes.some(byte => byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127)
}

/** Text that a browser or a computer would run counts as more than text. */
function textType(start: string): FileType | NotStored {
  if (/^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|body|script|svg|\?xml|!--)/i.test(start)) return 'web page'
  if (/<(?:script|svg|iframe|html)[\s>]/i.test(start)) return 'web page'
  return text
}
