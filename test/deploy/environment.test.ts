/** What the files in deploy/ say of the rest: only these tests notice a misspelled variable or a file that is left out. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { variables } from '../../src/config/environment.ts'

const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')

const known = new Set(
  Object.entries(variables).flatMap(([name, entry]) => ('secret' in entry ? [name, `${name}_FILE`] : [name])),
)

const sources: [file: string, set: RegExp, part?: [from: string, to: string]][] = [
  ['Dockerfile', /([A-Z_]+)=(?!\/app\/node_modules)/g, ['ENV ', 'USER ']],
  ['compose.yaml', /^ +([A-Z_]+): /gm, ['x-replica:', 'services:']],
  ['frontdesk.env.example', /^([A-Z_]+)=/gm],
]

for (const [file, set, [from, to] = ['', '']] of sources) {
  test(`${file} sets only variables that Frontdesk reads`, () => {
    const text = read(file)
    const start = text.indexOf(from)
    const part = text.slice(start, to ? text.indexOf(to, start) : undefined)
    const names = [...part.matchAll(set)].map(([, name]) => name as string)
    assert.ok(names.length > 3)
    assert.deepEqual(
      names.filter(name => !known.has(name)),
      [],
    )
  })
}

test('everything that the image is made from is sent to its build', () => {
  const ignored = readFileSync(new URL('../../.dockerignore', import.meta.url), 'utf8')
  const sent = [...ignored.matchAll(/^!(.+)$/gm)].map(([, path]) => path as string)
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  )
  assert.ok(copied.includes('package-lock.json'))
  const missing = copied.filter(path => path !== '.' && !sent.some(one => path === one || path.startsWith(`${one}/`)))
  assert.deepEqual(missing, [])
})
