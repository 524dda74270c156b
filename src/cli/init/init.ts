/** `frontdesk init`: asks what production needs, and writes the files for it. */
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { home } from '../../platform/places.ts'
import { utcDay } from '../../platform/time.ts'
import { print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { type Answers, type Ask, answersFrom, askAll, terminalAsker } from './answers.ts'
import { dkimInstructions, dkimRecord, newDkimKey } from './dkim-key.ts'
import { domainOf, leftAsExamples, questions } from './questions.ts'
import { DKIM_FILE, DKIM_SELECTOR, environmentFile, proxyFile, settingsFile, unitFile } from './written-files.ts'

type Options = { folder: string; answers?: string; overwrite?: boolean }
type File = { path: string; content: string; mode: number }

export function initCommand(): Command {
  return new Command('init')
    .description('ask what production needs, and write settings, environment, proxy and service files')
    .option('--folder <folder>', 'where the settings and the other files go', 'school')
    .option('--answers <file>', 'read the answers from a JSON file, and ask nothing')
    .option('--overwrite', 'replace files that exist, without asking; a DKIM key is never replaced')
    .addHelpText(
      'after',
      `
Writes .env into this folder, and the other files into --folder, where an update never touches them.

Questions, which are also the names in the JSON file; what it leaves out takes its default:
${questions.map(({ name, ask }) => `  ${name.padEnd(18)}${ask}`).join('\n')}
  counselors        a list of { "name": "Maria Lopez", "email": "maria@example.edu" }
  manager           { "name": "…", "email": "…" }`,
    )
    .action(init)
}

async function init({ folder, answers: file, overwrite = false }: Options): Promise<void> {
  if (file !== undefined) {
    await write(answersFrom(file), resolve(folder), {
      mayReplace: async path => {
        if (overwrite) return true
        throw new CommandFailed(
          `${path} exists already, and nothing was written. To replace what is there, add --overwrite.`,
        )
      },
    })
    return
  }
  if (!process.stdin.isTTY)
    throw new CommandFailed(
      'npx frontdesk init asks questions on a terminal. Elsewhere, put the answers into a file: npx frontdesk init --answers answers.json (see --help)',
    )
  const { ask, close } = terminalAsker()
  try {
    print('Press Enter to accept the answer in brackets. Everything can be changed later in the files.')
    const answers = await askAll(ask, print)
    await write(answers, resolve(folder), { mayReplace: async path => overwrite || (await confirms(ask, path)) })
  } finally {
    close()
  }
}

async function confirms(ask: Ask, path: string): Promise<boolean> {
  const why = 'no keeps the file as it is.'
  return /^y(es)?$/i.test((await ask({ ask: `${path} exists. Replace it? yes or no`, why }, 'no')).trim())
}

type Consent = { mayReplace: (path: string) => Promise<boolean> }

async function write(answers: Answers, folder: string, { mayReplace }: Consent): Promise<void> {
  const files = filesFor(answers, folder)
  const chosen: File[] = []
  for (const file of files) {
    // Asks about all files before the first is written, so that a refusal leaves everything as it was.
    if (!existsSync(file.path) || (await mayReplace(file.path))) chosen.push(file)
  }
  if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755)
  for (const { path, content, mode } of chosen) {
    writeFileSync(path, content, { mode })
    // The program creates everything for its user alone, but a web server must be able to read a copy of its file.
    chmodSync(path, mode)
    print(`wrote  ${path}`)
  }
  const { user = '', dataDir = '' } = answers.texts
  // systemd does not start a unit whose folder for writing does not exist.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  giveTo(user, [folder, dataDir, ...chosen.map(({ path }) => path)])
  const examples = leftAsExamples(answers.texts)
  if (examples.length > 0)
    print(
      `\nStill our examples, so no one at your school gets an email yet: ${examples.join('; ')}.\nRun npx frontdesk init again, or change them in ${resolve('.env')} and ${join(folder, 'frontdesk.config.ts')}.`,
    )
  print(nextSteps(answers, folder))
}

function filesFor(answers: Answers, folder: string): File[] {
  const { texts } = answers
  const at = (name: string) => join(folder, name)
  const today = utcDay(Date.now())
  const program = fileURLToPath(home).replace(/\/$/, '')
  const plain = (name: string, content: string): File => ({ path: at(name), content, mode: 0o644 })
  return [
    plain('frontdesk.config.ts', settingsFile(answers, folder, today)),
    { path: resolve('.env'), content: environmentFile(texts, at('frontdesk.config.ts')), mode: 0o600 },
    ...(texts['dkim'] === 'yes' ? dkimFiles(at, domainOf(texts)) : []),
    plain('Caddyfile', proxyFile('Caddyfile', texts)),
    plain('nginx.conf', proxyFile('nginx.conf', texts)),
    plain('frontdesk.service', unitFile(texts, program)),
  ]
}

/** An existing key stays: its record may be in DNS. */
function dkimFiles(at: (name: string) => string, domain: string): File[] {
  const path = at(DKIM_FILE)
  const existing = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  const key = existing ?? newDkimKey()
  const record = dkimRecord(key, DKIM_SELECTOR, domain)
  return [
    ...(existing === undefined ? [{ path, content: key, mode: 0o600 }] : []),
    { path: at('dkim-dns.txt'), content: dkimInstructions(record), mode: 0o644 },
  ]
}

/** Root writes for the user of the service, who must be able to read it all. */
function giveTo(user: string, paths: string[]): void {
  if (process.getuid?.() !== 0) return
  const [, , uid, gid] =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map(line => line.split(':'))
      .find(([name]) => name === user) ?? []
  if (uid === undefined || gid === undefined) return
  for (const path of paths) {
    if (lstatSync(path).uid === 0) chownSync(path, Number(uid), Number(gid))
  }
}

function nextSteps({ texts }: Answers, folder: string): string {
  const { user = '', dataDir = '', baseUrl = '', learnUrl = '', consoleUrl = '' } = texts
  const hosts = [baseUrl, learnUrl, consoleUrl].map(url => new URL(url).hostname).join(', ')
  const asRoot = process.getuid?.() === 0 && user !== 'root'
  const key = texts['dkim'] === 'yes' ? `; and the record in ${join(folder, 'dkim-dns.txt')}` : ''
  const check = asRoot
    ? [
        `useradd --system --no-create-home ${user}   # unless the user exists`,
        `install -d -o ${user} -m 700 ${dataDir}; chown -R ${user} ${folder} ${resolve('.env')}`,
        `runuser -u ${user} -- npx frontdesk check`,
      ].join('\n             ')
    : 'npx frontdesk check'
  return `
Next:
  1. Check:  ${check}
  2. DNS:    point ${hosts} to this machine${key}
  3. Start:  npm start, or as a service:
     cp ${join(folder, 'frontdesk.service')} /etc/systemd/system/ && systemctl enable --now frontdesk
     In front of it, use ${join(folder, 'Caddyfile')} or ${join(folder, 'nginx.conf')}.
docs/operations.md has the rest: backup, update, private certificate authorities.`
}
