/** The examples in the help of each command, as people type them after `npx frontdesk`. */
import type { Command } from 'commander'

export const examples: Record<string, readonly string[]> = {
  init: ['init', 'init --folder /etc/frontdesk'],
  serve: ['serve', 'serve --http-only'],
  worker: ['worker'],
  'leads list': ['leads list --waiting', 'leads list --unanswered', 'leads list --search okafor --counselor maria'],
  'leads show': ['leads show 17', 'leads show ben@mail.example'],
  'leads export': ['leads export > leads.csv', 'leads export --kind student --since 2026-09-01'],
  'leads stage': ['leads stage 17 reached --by maria', 'leads stage 17 closed --reason "not interested"'],
  'leads assign': ['leads assign 17 maria --by tom', 'leads assign 17 team'],
  'leads note': ['leads note 17 Prefers mornings'],
  'leads call': [
    'leads call 17 reached',
    'leads call 512-555-0142 voicemail Said that we call again tomorrow --by maria',
  ],
  'leads callback': [
    'leads callback 17 1h Asks for the price --by maria',
    'leads callback 17 2026-11-24T15:00 --for sam',
  ],
  'leads callbacks': ['leads callbacks'],
  'leads end-callback': ['leads end-callback 17 Wrote to them', 'leads end-callback 17 --called-off'],
  'leads no-answer-needed': ['leads no-answer-needed 17 --by maria'],
  'leads pause': ['leads pause 17', 'leads pause ben@mail.example --by maria'],
  'leads withdraw-consent': ['leads withdraw-consent 17 --by maria'],
  'leads resume': ['leads resume 17', 'leads resume ben@mail.example --by maria'],
  'leads add': [
    'leads add --first-name Ana --last-name Ruiz --email ana@mail.example --phone 512-555-0142 --came-from fair',
    'leads add --first-name Ana --last-name Ruiz --email ana@mail.example --phone 512-555-0142 --reached --by maria',
  ],
  'leads import': [
    'leads import fair.csv --source "Fair Austin 2026-11" --dry-run',
    'leads import fair.csv --source "Fair Austin 2026-11" --column "Attendee=fullName" --counselor maria',
  ],
  'leads correct': [
    'leads correct 17 --email ben@mail.example --send-again',
    'leads correct 17 --phone 512-555-0142 --by maria',
    'leads correct 17 --language es',
  ],
  'leads merge': ['leads merge 17 23 --dry-run', 'leads merge 17 ben@work.example --by maria'],
  'leads unmerge': ['leads unmerge 23'],
  'leads attachment': ['leads attachment 12 transcript.pdf'],
  'leads export-person': ['leads export-person ben@mail.example ben.zip'],
  'leads erase': ['leads erase ben@mail.example', 'leads erase 17 --yes'],
  'follow-up plan': ['follow-up plan 17', 'follow-up plan ben@mail.example --format json'],
  'follow-up simulate': ['follow-up simulate', 'follow-up simulate --leads 100 --days 7'],
  'follow-up speed': ['follow-up speed', 'follow-up speed --kind site --since 2026-09-01'],
  'follow-up skip-overdue': ['follow-up skip-overdue'],
  'counselors list': ['counselors list', 'counselors list --format csv'],
  'counselors absences': ['counselors absences', 'counselors absences --format json'],
  'counselors absent': [
    'counselors absent maria --from 2026-12-21',
    'counselors absent maria --from 2026-12-21 --to 2026-12-24',
  ],
  'counselors present': ['counselors absences', 'counselors present 3'],
  'operators list': ['operators list', 'operators list --format json'],
  'operators add': ['operators add', 'operators add maria@school.edu --name "Maria Lopez"'],
  'operators disable': ['operators disable maria@school.edu'],
  'operators reset': ['operators reset maria@school.edu'],
  'suppressions check': ['suppressions check ben@mail.example'],
  'suppressions add': ['suppressions add ben@mail.example'],
  'suppressions remove': ['suppressions remove ben@mail.example'],
  'accounts import': ['accounts import students.csv', 'accounts import - --replace < students.csv'],
  'accounts check': ['accounts check ben@mail.example'],
  'quarantine list': ['quarantine list', 'quarantine list --state dismissed --limit 10'],
  'quarantine release': ['quarantine release 17', 'quarantine release 17 18 --by maria'],
  'quarantine retry': ['quarantine retry 17'],
  'quarantine dismiss': ['quarantine dismiss 17 18 --by maria', 'quarantine dismiss 17 --why by-hand'],
  'mail list': ['mail list', 'mail list --state failed'],
  'mail show': ['mail show 17'],
  'mail retry': ['mail retry 17', 'mail retry --failed'],
  'mail acknowledge': ['mail acknowledge 17', 'mail acknowledge --all'],
  'quarantine digest': ['quarantine digest'],
  rehearse: [
    'rehearse you@example.edu',
    'rehearse you@example.edu --language es',
    'rehearse you@example.edu --kind site',
  ],
  preview: ['preview', 'preview --port 4000'],
  check: ['check', 'check --send-test-mail you@example.edu'],
  backup: ['backup /var/backups/frontdesk'],
  restore: ['restore /var/backups/frontdesk/copy.db'],
  move: ['move --from sqlite:frontdesk.db --to postgres://frontdesk:password@db.example.edu/frontdesk'],
}

export function addExamples(command: Command, parents: readonly string[] = []): void {
  const path = [...parents, command.name()]
  for (const child of command.commands) addExamples(child, path)
  const lines = examples[path.join(' ')] ?? []
  if (lines.length === 0) return
  const title = lines.length === 1 ? 'Example' : 'Examples'
  command.addHelpText('after', `\n${title}:\n${lines.map(line => `  npx frontdesk ${line}`).join('\n')}`)
}
