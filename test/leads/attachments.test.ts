/** Names and types of attachments, which strangers choose. */
import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { attachmentInWords } from '../../src/leads/attachments/attachment.ts'
import { extensionOf, safeFileName } from '../../src/leads/attachments/file-name.ts'
import { acceptedExtensions, fileTypeOf } from '../../src/leads/attachments/file-types.ts'

const names = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom('../', 'C:\\', '\u202e', '\0', '\r\n', '..', 'ñ', '🏥', 'a', ' ', '.pdf', '.exe', '"', '\u200b'),
    )
    .map(parts => parts.join('')),
)

test('a name is one short line that leads nowhere, and cleaning it twice changes nothing', () => {
  fc.assert(
    fc.property(names, raw => {
      const name = safeFileName(raw)
      ok([...name].length <= 80)
      doesNotMatch(name, /[\p{Cc}\p{Cf}/\\"<>|?*:\u2028\u2029]|^[. ]|[. ]$/u)
      ok(name.isWellFormed())
      equal(safeFileName(name), name)
    }),
  )
})

test('a name keeps its last part and its extension', () => {
  equal(safeFileName('../../etc/passwd'), 'passwd')
  equal(safeFileName('C:\\Users\\Ben\\transcript.pdf'), 'transcript.pdf')
  equal(safeFileName('photo\u202egpj.exe'), 'photo gpj.exe')
  equal(safeFileName('  Año\r\nnuevo.pdf '), 'Año nuevo.pdf')
  const long = safeFileName(`${'é'.repeat(300)}.docx`)
  ok(long.endsWith('é.docx') && [...long].length === 80)
  equal(safeFileName('....'), '')
})

const bytes = (text: string) => Buffer.from(text, 'latin1')
const zip = (...files: string[]) => zipSync(Object.fromEntries(files.map(name => [name, bytes('x')])), { level: 0 })
const openDocument = (type: string) => zipSync({ mimetype: [bytes(type), { level: 0 }], 'content.xml': bytes('x') })

const samples: Record<string, [name: string, content: Uint8Array, type: string, stored?: string]> = {
  PDF: ['transcript.pdf', bytes('%PDF-1.7\n...'), 'application/pdf'],
  JPEG: ['id.JPG', bytes('\xff\xd8\xff\xe0...'), 'image/jpeg'],
  PNG: ['id.png', bytes('\x89PNG\r\n\x1a\n...'), 'image/png'],
  'photo of an iPhone': ['IMG_1.HEIC', bytes('\0\0\0\x18ftypheic\0\0'), 'image/heic'],
  WebP: ['a.webp', bytes('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  GIF: ['a.gif', bytes('GIF89a'), 'image/gif'],
  'scanned page': ['scan.tif', bytes('II*\0'), 'image/tiff'],
  RTF: ['letter.rtf', bytes('{\\rtf1'), 'application/rtf'],
  text: ['notes.txt', Buffer.from('Año: 1998 <maybe>'), 'text/plain'],
  Word: [
    'letter.docx',
    zip('[Content_Types].xml', 'word/document.xml'),
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ],
  OpenDocument: [
    'letter.odt',
    openDocument('application/vnd.oasis.opendocument.text'),
    'application/vnd.oasis.opendocument.text',
  ],
  'JPEG called PNG': ['id.png', bytes('\xff\xd8\xff\xe0...'), 'image/jpeg', 'id.jpg'],
  'PDF without extension': ['Diploma No. 7', bytes('%PDF-1.4'), 'application/pdf', 'Diploma No. 7.pdf'],
  'photo without a name': ['', bytes('\xff\xd8\xff\xe0...'), 'image/jpeg', 'attachment.jpg'],
}

for (const [what, [name, content, type, stored = name]] of Object.entries(samples))
  test(`a file is told by its content: ${what}`, () => {
    deepEqual(fileTypeOf(name, content, { whole: true }), { type, name: stored })
  })

const rejected: Record<string, [name: string, content: Uint8Array, why: string]> = {
  'a program': ['setup.exe', bytes('MZ\x90'), 'program'],
  'a program called PDF': ['transcript.pdf', bytes('MZ\x90'), 'program'],
  'a PDF called program': ['transcript.pdf.exe', bytes('%PDF-1.7'), 'program'],
  'a script': ['notes.txt', bytes('#!/bin/sh\nrm'), 'program'],
  'a web page': ['index.html', bytes('hello'), 'web page'],
  'a web page called text': ['notes.txt', bytes('  <!DOCTYPE html><p>'), 'web page'],
  'a picture that can run scripts': ['logo.svg', bytes('<svg onload=1>'), 'web page'],
  'the same called text': ['logo.txt', bytes('<?xml version="1.0"?><svg>'), 'web page'],
  'an archive': ['all.zip', zip('a.exe'), 'archive'],
  'an archive called Word': ['all.docx', zip('a.exe'), 'archive'],
  'Word called Excel with programs': ['a.docm', zip('[Content_Types].xml'), 'macros'],
  'an old Office file': ['letter.doc', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), 'macros'],
  'an old Office file called PDF': ['letter.pdf', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), 'macros'],
  'an email': ['message.eml', bytes('From: a@b.example'), 'email'],
  'an empty file': ['transcript.pdf', bytes(''), 'empty'],
  'unknown bytes': ['data.bin', bytes('\0\x01\x02\x03'), 'other'],
}

for (const [what, [name, content, why]] of Object.entries(rejected))
  test(`is not accepted: ${what}`, () => {
    deepEqual(fileTypeOf(name, content, { whole: true }), { rejected: why })
  })

test('what is stored has an extension that we accept, whatever name and content a stranger chose', () => {
  const contents = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom(...[...Object.values(samples), ...Object.values(rejected)].map(([, content]) => content)),
  )
  fc.assert(
    fc.property(names, contents, (raw, content) => {
      const found = fileTypeOf(safeFileName(raw), content, { whole: true })
      if ('rejected' in found) return
      ok(acceptedExtensions.includes(`.${extensionOf(found.name)}`), found.name)
      doesNotMatch(found.type, /html|svg|xml$|javascript/)
    }),
  )
})

test('an attachment says what it is and, if it was not stored, why', () => {
  const file = { name: 'a.pdf', size: 120_000 }
  equal(attachmentInWords({ ...file, state: 'stored' }), 'a.pdf (120 KB)')
  equal(attachmentInWords({ ...file, state: 'unchecked' }), 'a.pdf (120 KB), being checked')
  equal(attachmentInWords({ ...file, state: 'too large' }), 'a.pdf, not stored: it is too large')
})
