/**
 * Runs Lighthouse on the public pages, as a phone and as a desktop: `node bench/lighthouse.ts [page…]`,
 * with each page a path on the site host or a whole URL. Lighthouse comes from npm when this runs, and
 * stays in npm's own cache.
 *
 * Exits with code 1 if a page scores below 95 of 100 in any category.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserProgram, installBrowser } from '../test/support/browser.ts'
import { startService } from './servers.ts'
import { table } from './table.ts'

const VERSION = '13.5.0'
const PAGES = ['/developers', '/docs/api', '/pricing']
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo', 'agentic-browsing']

/** The lowest acceptable score in each category, of 100. */
const TARGET = 95

/** Lighthouse's own settings. Its default is a slow phone on slow 4G. */
const devices = { mobile: [], desktop: ['--preset=desktop'] }

type Audit = { title: string; score: number | null; displayValue?: string; explanation?: string }

/** Lighthouse's report on one page. Scores are between 0 and 1, or null if an audit does not apply. */
type Report = {
  categories: Record<string, { score: number | null }>
  audits: Record<string, Audit>
  /** Why it could not examine the page, for example because that returned 404. */
  runtimeError?: { message: string }
}

type Finding = { page: string; device: string; scores: number[]; imperfect: Audit[] }

const requestedPages = process.argv.slice(2)
const browser = await installBrowser()
const service = await startService({ replicas: 1, pinned: false, postgres: undefined })
const findings: Finding[] = []
try {
  for (const page of requestedPages.length > 0 ? requestedPages : PAGES) {
    const url = new URL(page, `http://127.0.0.1:${service.replicas[0]?.ports.A}`)
    for (const [device, flags] of Object.entries(devices)) {
      process.stderr.write(`${page}, ${device}\n`)
      findings.push({ page, device, ...scoresOf(await lighthouse(browser, url, flags)) })
    }
  }
} finally {
  await service.replicas[0]?.stop()
  await service.remove()
}
process.stdout.write(report(findings))
if (findings.some(({ scores }) => scores.some(score => score < TARGET))) process.exitCode = 1

async function lighthouse({ executable, env }: BrowserProgram, url: URL, flags: string[]): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-lighthouse-'))
  const file = join(folder, 'report.json')
  const command = [
    'exec',
    '--yes',
    `--package=lighthouse@${VERSION}`,
    '--',
    'lighthouse',
    url.href,
    '--output=json',
    `--output-path=${file}`,
    '--quiet',
    '--no-enable-error-reporting',
    '--disable-full-page-screenshot',
    `--only-categories=${CATEGORIES.join()}`,
    '--chrome-flags=--headless --no-sandbox --disable-gpu',
    ...flags,
  ]
  const options = { cwd: folder, env: { ...process.env, ...env, CHROME_PATH: executable } }
  try {
    // If it could not examine the page, it exits with 1 but still writes a report.
    await promisify(execFile)('npm', command, options).catch(error => {
      if (!existsSync(file)) throw error
    })
    return JSON.parse(readFileSync(file, 'utf8'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function scoresOf({ categories, audits, runtimeError }: Report) {
  if (runtimeError) {
    return { scores: CATEGORIES.map(() => 0), imperfect: [{ title: runtimeError.message, score: 0 }] }
  }
  return {
    scores: CATEGORIES.map(name => Math.round((categories[name]?.score ?? 0) * 100)),
    imperfect: Object.values(audits).filter(({ score }) => score !== null && score < 1),
  }
}

function report(all: Finding[]): string {
  const rows = all.map(({ page, device, scores }) => [`${page}, ${device}`, ...scores.map(String)])
  const imperfect = all.map(({ page, device, imperfect }) =>
    imperfect.length === 0 ? '' : `\n${page}, ${device}\n${imperfect.map(line).join('')}`,
  )
  return `\nLighthouse ${VERSION}\n\n${table([['', ...CATEGORIES], ...rows])}\n${imperfect.join('')}`
}

function line({ title, score, displayValue, explanation }: Audit): string {
  const hundredths = String(Math.round((score ?? 0) * 100)).padStart(5)
  const detail = displayValue || explanation
  return `${hundredths}  ${title}${detail ? `: ${detail}` : ''}\n`
}
