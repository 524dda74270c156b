/** CSV and XLSX against formulas: whatever a stranger writes is only data. */
import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { strFromU8, unzipSync } from 'fflate'
import { xlsx } from '../../src/console/export/xlsx.ts'
import { csv } from '../../src/content/csv.ts'
import { timeZone } from '../../src/follow-up/time-zones.ts'
import { plainCell } from '../../src/leads/import/inquiry-of-row.ts'

const signs = [...'=+-@＝＋－＠﹦﹢﹣﹫⁼₌⁺₊⁻₋−']
const separators = [...';,|\t\r\n\v\f\u0085\u2028\u2029；，｜\u037e']
const before = ['', ' ', '"', "'", '\t', '\u00a0', '\u200b', '\u200e', '\ufeff', '\u00ad', '\0', '" \u202e']

const cellOf = (value: string): string => parse(csv([[value]], false))[0]?.[0] ?? ''

test('no cell of CSV begins with a formula, whatever stands before its sign', () => {
  for (const sign of signs)
    for (const prefix of before)
      equal(cellOf(`${prefix}${sign}cmd|' /C calc'!A1`)[0], "'", JSON.stringify(prefix + sign))
})

test('no cell of CSV begins with a formula for a spreadsheet with another separator', () => {
  for (const separator of separators)
    for (const sign of signs)
      for (const prefix of before) {
        const written = cellOf(`Call me${separator}${prefix}${sign}cmd`)
        ok(written.includes(`'${sign}cmd`), JSON.stringify(separator + prefix + sign))
      }
})

test('a text of nothing but line breaks is written, however long it is', () => {
  const text = '\n'.repeat(500_000)
  equal(cellOf(text), text)
})

test('other text, and a phone number in E.164, are written as they are', () => {
  for (const text of ['+15125550142', "Zoë O'Neil-Smith", 'a+b@mail.example', '1 = 1; 2 - 1', 'x'])
    equal(cellOf(text), text)
  equal(cellOf('+1 512 555 0142'), "'+1 512 555 0142")
})

test('what an export has marked is read by an import as it was', () => {
  for (const text of ["'=1", "''=1", "Call me;'=1", '\n=1', 'a\n=1']) equal(plainCell(cellOf(text.trim())), text.trim())
  const piece = fc.constantFrom(...signs, ...separators, ...before, "'", "''", '1', 'a')
  const texts = fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join('').trim())
  fc.assert(
    fc.property(texts, text => {
      equal(plainCell(cellOf(text)), text)
    }),
    { numRuns: 3000 },
  )
})

test('every text of a workbook is a text cell, with the very characters that were written', async () => {
  const texts = [...signs.map(sign => `${sign}cmd`), '_x003D_cmd', '_x000d_=cmd', '_x_']
  const batches = (async function* () {
    yield texts.map(text => [text])
  })()
  const pieces: Uint8Array[] = []
  for await (const piece of xlsx(batches, { zone: timeZone('UTC') })) pieces.push(piece)
  const files = unzipSync(new Uint8Array(Buffer.concat(pieces)))
  const sheet = strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array())
  equal(sheet.match(/<c /g)?.length, texts.length)
  equal(sheet.match(/ t="inlineStr"/g)?.length, texts.length)
  ok(!/<f[ >]/.test(sheet))
  const read = [...sheet.matchAll(/<t [^>]*>([^<]*)<\/t>/g)].map(([, text = '']) =>
    text.replace(/_x([0-9a-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
  )
  equal(JSON.stringify(read), JSON.stringify(texts))
})
