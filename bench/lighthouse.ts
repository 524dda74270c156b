/**
 * What Lighthouse says of the public pages, on a phone and on a desktop: `node bench/lighthouse.ts
 * [page…]`, each page a path on the site host or a whole URL. Lighthouse comes from npm when this
 * runs, and is kept in npm's own cache.
 *
 * Ends with exit code 1 where a page has less than 95 of 100 in a category.
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

/** What each category must have, of 100. */
const ENOUGH = 95

/** Lighthouse's own settings: a slow phone on slow 4G unless it is told to be a desktop. */
const devices = { mobile: [], desktop: ['--preset=desktop'] }

type Audit = { title: string; score: number | null; displayValue?: string; explanation?: string }

/** What Lighthouse says of one page; scores are between 0 and 1, null where there is nothing to say. */
type Report = {
  categories: Record<string, { score: number | null }>
  audits: Record<string, Audit>
  /** Why it could not look at the page, as where that answers 404. */
  runtimeError?: { message: string }
}

type Finding = { page: string; device: string; scores: number[]; lacking: Audit[] }

const asked = process.argv.slice(2)
const browser = await installBrowser()
const service = await startService({ replicas: 1, pinned: false, postgres: undefined })
const findings: Finding[] = []
try {
  for (const page of asked.length > 0 ? asked : PAGES) {
    const url = new URL(page, `http://127.0.0.1:${service.replicas[0]?.ports.A}`)
    for (const [device, flags] of Object.entries(devices)) {
      process.stderr.write(`${page}, ${device}\n`)
      findings.push({ page, device, ...judged(await lighthouse(browser, url, flags)) })
    }
  }
} finally {
  await service.replicas[0]?.stop()
  await service.remove()
}
process.stdout.write(report(findings))
if (findings.some(({ scores }) => scores.some(score => score < ENOUGH))) process.exitCode = 1

async function lighthouse(
  { executable, env }: BrowserProgram,
  url: URL,
  flags: string[],
): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-lighthouse-'))
  const file = join(folder, 'report.json')
  const command = [
    ...['exec', '--yes', `--package=lighthouse@${VERSION}`, '--', 'lighthouse', url.href],
    ...['--output=json', `--output-path=${file}`, '--quiet', '--no-enable-error-reporting'],
    ...['--disable-full-page-screenshot', `--only-categories=${CATEGORIES.join()}`],
    '--chrome-flags=--headless --no-sandbox --disable-gpu',
    ...flags,
  ]
  const options = { cwd: folder, env: { ...process.env, ...env, CHROME_PATH: executable } }
  try {
    // It ends with 1, but reports, where it could not look at the page.
    await promisify(execFile)('npm', command, options).catch(error => {
      if (!existsSync(file)) throw error
    })
    return JSON.parse(readFileSync(file, 'utf8'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function judged({ categories, audits, runtimeError }: Report) {
  if (runtimeError) {
    return { scores: CATEGORIES.map(() => 0), lacking: [{ title: runtimeError.message, score: 0 }] }
  }
  return {
    scores: CATEGORIES.map(name => Math.round((categories[name]?.score ?? 0) * 100)),
    lacking: Object.values(audits).filter(({ score }) => score !== null && score < 1),
  }
}

function report(all: Finding[]): string {
  const rows = all.map(({ page, device, scores }) => [`${page}, ${device}`, ...scores.map(String)])
  const lacking = all.map(({ page, device, lacking }) =>
    lacking.length === 0 ? '' : `\n${page}, ${device}\n${lacking.map(line).join('')}`,
  )
  return `\nLighthouse ${VERSION}\n\n${table([['', ...CATEGORIES], ...rows])}\n${lacking.join('')}`
}

function line({ title, score, displayValue, explanation }: Audit): string {
  const hundredths = String(Math.round((score ?? 0) * 100)).padStart(5)
  const detail = displayValue || explanation
  return `${hundredths}  ${title}${detail ? `: ${detail}` : ''}\n`
}
