/**
 * A real browser for tests: Chromium's headless shell from npm, with everything it needs. On systems
 * for which npm has none, FRONTDESK_TEST_BROWSER names the Chrome or Chromium to use.
 */

import { execFile } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { requireProgram } from './packages.ts'
import { HANGS_AFTER } from './process.ts'

/** A program, and the environment variables that it needs in addition to those of this process. */
export type BrowserProgram = { executable: string; env: Record<string, string> }

/** A test, or `node:test` itself, which stands for a whole file. */
type TestScope = { after(run: () => Promise<void>): void }

/** For people on whose machine the browser from npm does not run. */
const advice = 'Set FRONTDESK_TEST_BROWSER to the path of a Chrome or Chromium.'

/** The browser of this process, while it has users. */
let started: Promise<Browser> | undefined
let users = 0

/**
 * Starts a browser, which all who want one in this process share: each opens windows (contexts) of its own. It is
 * closed after the last of them: after the test `t`, or after all files if `t` is `{ after }` of node:test. It
 * also ends with this process, no matter how the process ends.
 */
export async function startBrowser(t: TestScope): Promise<Browser> {
  users++
  started ??= launchBrowser()
  const browser = await started
  t.after(async () => {
    if (--users > 0) return
    started = undefined
    await browser.close()
  })
  return browser
}

async function launchBrowser(): Promise<Browser> {
  const { executable, env } = await installBrowser()
  const browser = await chromium
    .launch({
      executablePath: executable,
      timeout: HANGS_AFTER,
      env: { ...process.env, ...env },
      // Playwright adds --no-sandbox, which root and most containers need: the pages are our own.
      args: ['--disable-gpu'],
    })
    .catch(cause => {
      throw new Error(`${executable} does not start here. ${advice}`, { cause })
    })
  return withTime(browser)
}

/** The console takes a message about what happened away after so many milliseconds. Here it stays. */
const MESSAGES_STAY = `{
  const wait = setTimeout
  globalThis.setTimeout = (run, time, ...more) => wait(run, time === 12000 ? 1e9 : time, ...more)
}`

/**
 * A slow machine takes longer than the half minute that Playwright waits for whatever a test does, and may look at a page
 * only after a message has gone.
 */
function withTime(browser: Browser): Browser {
  browser.on('context', context => {
    context.setDefaultTimeout(HANGS_AFTER)
    void context.addInitScript(MESSAGES_STAY)
  })
  return browser
}

/** Cuts the connections of a page. Chromium says that they are before that holds for every request. */
export async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await page.evaluate(`(async () => {
    const arrives = () => fetch('/healthz', { method: 'HEAD', cache: 'no-store' }).then(() => true, () => false)
    while (await arrives());
  })()`)
}

/**
 * Starts a whole Chromium, for what the headless shell lacks: autofill, notifications. Debian has it; elsewhere, an
 * Error says what to install. It is closed like the other, but not shared.
 */
export async function startWholeBrowser(t: TestScope): Promise<Browser> {
  const executablePath = '/usr/bin/chromium'
  requireProgram(executablePath, 'chromium')
  const args = ['--disable-gpu', '--disable-background-networking', '--disable-sync']
  const browser = withTime(await chromium.launch({ executablePath, args, timeout: HANGS_AFTER }))
  t.after(() => browser.close())
  return browser
}

/** The browser that `startBrowser` starts. Throws an Error with advice if there is none. */
export async function installBrowser(): Promise<BrowserProgram> {
  const named = process.env['FRONTDESK_TEST_BROWSER']
  if (named) {
    if (existsSync(named)) return { executable: named, env: {} }
    throw new Error(`FRONTDESK_TEST_BROWSER names ${named}, which does not exist. ${advice}`)
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const system = `${process.platform} on ${process.arch}`
    throw new Error(`The browser from npm does not run on ${system}. ${advice}`)
  }
  const folder = await unpackOnce()
  return {
    executable: join(folder, 'chromium'),
    env: {
      // The same libraries and font everywhere, so that a page that fits on one machine fits on all.
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  }
}

const LIST = 'contents.json'

/** Unpacks the package, once per version and user, and returns the folder. */
async function unpackOnce(): Promise<string> {
  const { source, version } = findPackage()
  const user = process.getuid?.()
  const folder = join(tmpdir(), `frontdesk-chromium-${version}-${user}`)
  // Anyone could create a folder with this name and make us run their programs.
  const owner = lstatSync(folder, { throwIfNoEntry: false })?.uid ?? user
  if (owner !== user) throw new Error(`${folder} belongs to another user. Remove it.`)
  if (isWhole(folder)) return folder

  const draft = mkdtempSync(`${folder}-`)
  await unpack(source, draft)
  writeFileSync(join(draft, 'fonts.conf'), fontConfiguration(folder))
  writeFileSync(join(draft, LIST), JSON.stringify(readdirSync(draft, { recursive: true })))
  try {
    renameSync(draft, folder)
  } catch {
    // Another process was faster, or a cleanup job has removed parts of an older folder.
    const superfluous = isWhole(folder) ? draft : folder
    rmSync(superfluous, { recursive: true })
    if (superfluous === folder) renameSync(draft, folder)
  }
  return folder
}

function isWhole(folder: string): boolean {
  const list = join(folder, LIST)
  if (!existsSync(list)) return false
  const paths: string[] = JSON.parse(readFileSync(list, 'utf8'))
  return paths.every(path => existsSync(join(folder, path)))
}

function findPackage(): { source: string; version: string } {
  const root = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return { source: join(root, 'bin'), version }
}

/**
 * Unpacks the browser, its font, and the libraries that small systems lack (NSS, NSPR, Expat). Uses a
 * separate process, because the package unpacks only into the folder for temporary files.
 */
async function unpack(source: string, target: string): Promise<void> {
  const script = `
    import { inflate } from '@sparticuz/chromium'
    await Promise.all(process.argv.slice(1).map(inflate))`
  const archives = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map(name => join(source, name))
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, ...archives], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: target },
  })
}

/** Only the packaged font. The package's own configuration looks for it in folders of Amazon's. */
const fontConfiguration = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`
