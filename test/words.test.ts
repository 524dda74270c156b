/**
 * What people read, held to docs/glossary.md: pages, emails, errors, settings,
 * documents, and the comments and sentences of the code.
 */
import { deepEqual } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { examples } from '../src/cli/examples.ts'

/** Each is a word that another one has replaced, or a turn that makes readers stumble. */
const dropped: [RegExp, string][] = [
  [/\benquir\w+/i, 'inquiry'],
  [/\b(?:some|no|any|every)body\b/i, 'someone, no one, anyone, everyone'],
  [/\bwho(?:m|se)?ever\b/i, 'the person who, a student who, anyone who'],
  [/\banew\b/i, 'again'],
  [/\bhangs? on\b/i, 'depends on'],
  [/\be-mail(?!`| or mail)/i, 'email'],
  [/\bweb sites?\b/i, 'website'],
  [/\btime-outs?\b/i, 'timeout'],
  [/\bthrow-away\b/i, 'disposable'],
  [/\blicen[c]e/i, 'license'],
  [/\b(?:recogni|normali|authori|organi|summari|reali)s(?:e|ed|es|ing|ation)\b/i, '…ize'],
  [/\b(?:behaviou|colou|neighbou|honou|favou)r/i, '…or'],
  [/\benrol(?:s|ment|ments)?\b/i, 'enroll, enrollment'],
  [/\bmisspelt\b/i, 'misspelled'],
  [/\b(?<!there )(?:is|are|was|were) no (?!longer|more|one|other|later|less|such)\w+/i, 'is not a …'],
  [/\b(?:takes?|took) no\b/i, 'does not accept, does not take'],
  [/\ball else\b/i, 'everything else'],
  [/\ball the same\b/i, 'anyway'],
  [/\bfor now\b/i, '(leave it out)'],
  [/\bleft alone\b/i, 'suppressed'],
  [/\btak(?:es?|ing|en) in\b/i, 'accepts, intake'],
  [/\bfarewell\b/i, 'drain delay'],
  [/\bcourtesy\b/i, 'background delay'],
  [/\bpatience\b/i, 'timeout'],
  [/\bfores(?:ee|een|aw)\b/i, 'dry run'],
  [/\bmade-up\b/i, 'invented, simulated'],
  [/\breckon\w*/i, 'compute, count'],
  [/\bwhom\b/i, 'who, or another sentence: the people no one has tried to reach'],
  [/(?:^|[.,;:*(] |\b(?:and|if|that|until|when|where|whether) )one (?:may|can)\b/i, 'you can, or who can'],
  [/\bof which\b/i, 'a second sentence that repeats the noun'],
  [/\bthat of the\b/i, 'the noun again'],
  [/\bis there as\b/i, 'can be downloaded as'],
  [/\bsince when\b/i, 'how long, when'],
  [/\bfrom when\b/i, 'when, from the moment'],
  [/\bof now\b/i, 'by now, today'],
  [/\balso (?:if|when|where)\b/i, 'even if, even when'],
  [/\bemployers and sites\b/i, 'sites'],
  [/\bhow they heard of you\b/i, 'heard of us'],
  [/\bas of every\b/i, 'as for every'],
]

const read = [
  '*.md',
  'docs/**/*.md',
  'deploy/**/*',
  'bench/**/*.{md,ts}',
  'campaign/**/*.{md,ts}',
  'content/**/*.{md,html,txt}',
  '.env.example',
  'package.json',
  'frontdesk.config.ts',
  'bin/*.js',
  'src/**/*.ts',
  'test/**/*.ts',
]

/** The glossary names the words that it replaces; and tests send what people write, in any words. */
const isQuotation = (file: string, line: string): boolean =>
  file === 'test/words.test.ts' ||
  (file === 'docs/glossary.md' && line.startsWith('| ')) ||
  (file.startsWith('test/') && !/^\s*(?:\/?\*|\/\/)|\b(?:test|describe)\(/.test(line))

describe('no text uses', () => {
  const lines = globSync(read, { exclude: path => path.includes('node_modules') })
    .filter(file => !file.startsWith('content/letters/') && /\.\w+$/.test(file))
    .flatMap(file =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((text, index) => ({ text, at: `${file}:${index + 1}`, file })),
    )
    .filter(({ text, file }) => !isQuotation(file, text))

  for (const [word, better] of dropped) {
    test(`${word.source}, but ${better}`, () => {
      deepEqual(
        lines.filter(({ text }) => word.test(text)).map(({ at, text }) => `${at}: ${text.trim()}`),
        [],
      )
    })
  }
})

test('every command in a sentence can be run as it stands, in the way of README', () => {
  const names = new Set(Object.keys(examples).map(line => line.split(' ')[0]))
  const bare = new RegExp(`(?<!npx )(?<=\\\\n|(?<![-\\w]))frontdesk (?:${[...names].join('|')})\\b`)
  // The first comment of a file, a connection and a stanza of pgBackRest have the name of a command.
  const isName = (text: string) => /^\/\*\* |application_name|--stanza=/.test(text)
  // The changelog tells of commands; the others have people run them.
  const files = ['*.md', 'docs/*.md', 'content/**/*.md', '.env.example', '*.ts', 'src/**/*.ts']
  const texts = globSync(files).filter(file => file !== 'CHANGELOG.md')
  const found = texts.flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((text, index) => ({ text, at: `${file}:${index + 1}` }))
      .filter(({ text }) => bare.test(text) && !isName(text)),
  )
  deepEqual(
    found.map(({ at, text }) => `${at}: ${text.trim()}`),
    [],
  )
})
