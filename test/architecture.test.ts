/** The code against its map: the table of rooms in ARCHITECTURE.md, and no circles, types included; and its decisions against their numbers. */
import { deepEqual, ok } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, test } from 'node:test'

/** For each file of src/, the files of src/ that it imports. */
const imports = importsOf('src/**/*.ts')

const map = readFileSync('ARCHITECTURE.md', 'utf8')

type Rooms = Map<string, string[] | 'everything'>

/** The rows of the table of rooms: a folder or a file, and the rooms that it may use. */
const rooms = readRooms(map, /^\| `src\/([^`]+)` \|[^|]*\|([^|]*)\|$/gm, 'src/')

/** The same for the folders of the store that both engines share. */
const storeRooms = readRooms(
  readFileSync('src/store/README.md', 'utf8'),
  /^\| `([^`]+)` \|[^|]*\|([^|]*)\|$/gm,
  'src/store/',
)

const roomIn = (among: Rooms, file: string): string | undefined =>
  [...among.keys()]
    .filter(room => (room.endsWith('/') ? file.startsWith(room) : file === room))
    .sort((one, other) => other.length - one.length)[0]

const roomOf = (file: string) => roomIn(rooms, file)

describe('the table of rooms in ARCHITECTURE.md', () => {
  test('has a room for every file', () => {
    deepEqual(
      [...imports.keys()].filter(file => roomOf(file) === undefined),
      [],
    )
  })

  holdsFor(rooms)
})

describe('the table of folders in src/store/README.md', () => {
  test('has every folder but those of the engines, of the move and of the migrations', () => {
    const folders = globSync('src/store/*/').map(folder => `${folder}/`)
    deepEqual(
      folders.filter(folder => !storeRooms.has(folder) && !rooms.has(folder)),
      [],
    )
  })

  holdsFor(storeRooms)
})

function holdsFor(table: Rooms): void {
  const inhabited = new Set([...imports.keys()].map(file => roomIn(table, file)))

  test('names only rooms that exist', () => {
    for (const [room, uses] of table) {
      ok(inhabited.has(room), `${room} is empty`)
      if (uses !== 'everything') {
        deepEqual(
          uses.filter(used => !table.has(used)),
          [],
          `${room} may use rooms that the table does not have`,
        )
      }
    }
  })

  test('lists what each room may use, and the room uses nothing else', () => {
    const surprises: string[] = []
    for (const [file, targets] of imports) {
      const room = roomIn(table, file)
      const uses = table.get(room ?? '')
      if (room === undefined || uses === undefined || uses === 'everything') continue
      for (const target of targets) {
        const used = roomIn(table, target)
        if (used !== undefined && used !== room && !uses.includes(used)) surprises.push(`${file} imports ${target}`)
      }
    }
    deepEqual(surprises, [])
  })

  test('puts each room above those that it uses', () => {
    const order = [...table.keys()]
    for (const [room, uses] of table) {
      if (uses === 'everything') continue
      const above = uses.filter(used => order.indexOf(used) < order.indexOf(room))
      deepEqual(above, [], `${room} stands below a room that it uses`)
    }
  })

  test('lists nothing that a room does not use', () => {
    const unused: string[] = []
    for (const [room, uses] of table) {
      if (uses === 'everything') continue
      const used = new Set(
        [...imports]
          .filter(([file]) => roomIn(table, file) === room)
          .flatMap(([, targets]) => [...targets].map(target => roomIn(table, target))),
      )
      for (const allowed of uses) if (!used.has(allowed)) unused.push(`${room} → ${allowed}`)
    }
    deepEqual(unused, [])
  })
}

test('ARCHITECTURE.md says why each dependency is there', () => {
  const manifests = ['package.json', 'tools/openapi-client/package.json'].map(path =>
    JSON.parse(readFileSync(path, 'utf8')),
  )
  const names = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  deepEqual(
    names.filter(name => !map.includes(`\`${name}\``)),
    [],
  )
})

test('a name tells a file from others: at most two have the same, one of them often a command', () => {
  const names = new Map<string, string[]>()
  for (const file of imports.keys()) names.set(basename(file), [...(names.get(basename(file)) ?? []), file])
  // The lists of the store's methods, and the store: what it promises, and each engine's.
  for (const alike of ['methods.ts', 'store.ts']) names.delete(alike)
  deepEqual(
    [...names.values()].filter(files => files.length > 2),
    [],
  )
})

test('no literal is spread into another: its properties are written where they belong', () => {
  const spreads = globSync('{src,test,bench,campaign,demo,tools}/**/*.ts', { exclude: ['**/node_modules/**'] }).filter(
    file => /[{,]\s*\.\.\.[{]|\.\.\.\[[^[\]]*\]\s*[,\]]/.test(readFileSync(file, 'utf8')),
  )
  deepEqual(spreads, [])
})

test('decisions have numbers without gaps or repetitions, the same in name and title', () => {
  const files = globSync('docs/decisions/*.md').sort()
  const titles = files.map(file => readFileSync(file, 'utf8').split('. ')[0])
  const numbers = files.map((_, index) => index + 1)
  deepEqual(
    files.map(file => Number(basename(file).slice(0, 4))),
    numbers,
  )
  deepEqual(
    titles,
    numbers.map(number => `# ${number}`),
  )
})

test('on SQLite, the service starts with few libraries, and without the web APIs of node:http', () => {
  const loaded = loadedAtStart(['src/main.ts', 'src/cli/serve.ts', 'src/app.ts', 'src/store/sqlite/store.ts'])
  const packages = new Set(
    loaded
      .filter(name => !/^(?:src\/|node:)/.test(name))
      .map(name => name.split('/', name.startsWith('@') ? 2 : 1).join('/')),
  )
  deepEqual([...packages].sort(), [
    'commander',
    'fastest-levenshtein',
    'ipaddr.js',
    'liquidjs',
    'markdown-it-anchor',
    'markdown-it-container',
    'pino',
  ])
  deepEqual(
    loaded.filter(name => ['node:http', 'node:https', 'node:tls'].includes(name)),
    [],
  )
})

describe('imports, those of types included, form no circle', () => {
  test('of files', () => deepEqual(circles(imports), []))

  test('of files beside src/', () => deepEqual(circles(importsOf('{bench,campaign,demo,test}/**/*.ts')), []))

  test('of rooms', () => {
    const between = new Map([...rooms.keys()].map(room => [room, new Set<string>()]))
    for (const [file, targets] of imports) {
      const room = roomOf(file) ?? ''
      for (const target of targets) {
        const used = roomOf(target)
        if (used !== undefined && used !== room) between.get(room)?.add(used)
      }
    }
    deepEqual(circles(between), [])
  })

  test('would be found if there were one', () => {
    const graph = { a: ['b'], b: ['c', 'd'], c: ['a'], d: [] }
    const asMap = new Map(Object.entries(graph).map(([from, to]) => [from, new Set(to)]))
    deepEqual(circles(asMap), ['a → b → c → a'])
  })
})

/** For each of these files, the files of ours that it imports. */
function importsOf(pattern: string): Map<string, Set<string>> {
  return new Map(
    globSync(pattern).map(file => {
      const specifiers = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
      return [file, new Set([...specifiers].map(([, path = '']) => join(dirname(file), path)))]
    }),
  )
}

/** Reads a table of rooms, which are named without the prefix where they are used. */
function readRooms(markdown: string, row: RegExp, prefix: string): Rooms {
  return new Map(
    [...markdown.matchAll(row)].map(([, room = '', uses = '']) => [
      `${prefix}${room}`,
      uses.trim() === 'everything'
        ? 'everything'
        : [...uses.matchAll(/`([^`]+)`/g)].map(([, used = '']) => `${prefix}${used}`),
    ]),
  )
}

/** What these files import, and what that imports in turn: not types, nor what is imported on demand. */
function loadedAtStart(entries: string[]): string[] {
  const loaded = new Set(entries)
  for (const file of loaded) {
    if (!file.startsWith('src/')) continue
    const specifiers = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )(?:[^']*? from )?'([^']+)'$/gm)
    for (const [, name = ''] of specifiers) loaded.add(name.startsWith('.') ? join(dirname(file), name) : name)
  }
  return [...loaded]
}

/** Every circle that a walk through the graph closes, told once, from its first node in the alphabet. */
function circles(graph: Map<string, Set<string>>): string[] {
  const found = new Set<string>()
  const done = new Set<string>()
  const visit = (node: string, path: string[]) => {
    const seen = path.indexOf(node)
    if (seen >= 0) {
      const circle = path.slice(seen)
      const first = circle.indexOf(circle.toSorted()[0] ?? node)
      const turned = [...circle.slice(first), ...circle.slice(0, first)]
      found.add([...turned, turned[0]].join(' → '))
      return
    }
    if (done.has(node)) return
    for (const next of graph.get(node) ?? []) visit(next, [...path, node])
    done.add(node)
  }
  for (const node of [...graph.keys()].sort()) visit(node, [])
  return [...found].sort()
}
