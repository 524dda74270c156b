/** Whose turn it is in the thread of SQLite. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openSqlite } from '../../src/store/sqlite/database.ts'
import { type Call, callsInTurn } from '../../src/store/sqlite/turns.ts'
import { temporaryFolder } from '../support/folder.ts'

type Kind = 'urgent' | Call['kind']

/** A database behind a disk on which a commit takes so many milliseconds, and what happens to calls, in order. */
async function behindDisk(t: TestContext, commitTakes: number) {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const { raw, db } = await openSqlite(join(temporaryFolder(t), 'frontdesk.db'), 0)
  t.after(() => raw.close())
  raw.exec('create table numbers (n integer primary key)')
  const happened: string[] = []
  const exec = raw.exec.bind(raw)
  t.mock.method(raw, 'exec', (text: string) => {
    if (text === 'commit') {
      now += commitTakes
      happened.push('commit')
    }
    exec(text)
  })
  const inTurn = callsInTurn(raw)
  const ask = (kind: Kind, name: string, work: () => unknown = () => {}, takes = 0) =>
    inTurn({
      ...(kind === 'urgent' ? { kind: 'write', urgent: true } : { kind, urgent: false }),
      run: async () => {
        now += takes
        happened.push(name)
        if (kind !== 'urgent' || raw.isTransaction) return work()
        raw.exec('begin immediate')
        await work()
        return raw.exec('commit')
      },
      done: () => happened.push(`${name} done`),
      failed: error => happened.push(`${name}: ${(error as Error).message}`),
    })
  for (let i = 0; i < 30; i++) await ask('urgent', '')
  happened.length = 0
  const add = (n: number) => () =>
    db.transaction().execute(tx =>
      tx
        .insertInto('numbers' as never)
        .values({ n } as never)
        .execute(),
    )
  const stored = () =>
    raw
      .prepare('select n from numbers order by n')
      .all()
      .map(row => row['n'])
  return { raw, ask, add, happened, stored }
}

/** Lets everything that was asked at once happen: the first call runs before the others are known. */
const settled = async (ask: (kind: Kind, name: string) => Promise<void>, others: () => void) => {
  const all = ask('alone', 'first')
  others()
  await all
}

test('urgent calls go first, one after the other', async t => {
  const { ask, happened } = await behindDisk(t, 5)
  await settled(ask, () => {
    void ask('write', 'a')
    void ask('urgent', 'b')
    void ask('urgent', 'c')
    void ask('write', 'd')
  })
  const urgent = ['b', 'commit', 'b done', 'c', 'commit', 'c done']
  deepEqual(happened, ['first', 'first done', ...urgent, 'a', 'a done', 'd', 'd done'])
})

test('on a slow disk, an urgent call shares its commit with the writes that wait, after the reads that wait', async t => {
  const { ask, add, happened, stored } = await behindDisk(t, 30)
  await settled(ask, () => {
    void ask('write', 'a', add(1))
    void ask('alone', 'b')
    void ask('urgent', 'c', add(2))
    void ask('write', 'd', add(3))
    void ask('read', 'e')
  })
  const first = ['first', 'first done', 'e', 'e done']
  deepEqual(happened, [...first, 'c', 'a', 'd', 'commit', 'c done', 'a done', 'd done', 'b', 'b done'])
  deepEqual(stored(), [1, 2, 3])
})

test('on a slow disk, an urgent call that comes while writes gather is in their commit', async t => {
  const { ask, add, happened, stored } = await behindDisk(t, 30)
  await ask('write', 'a', () => {
    void ask('urgent', 'b', add(1))
  })
  deepEqual(happened, ['a', 'b', 'commit', 'a done', 'b done'])
  deepEqual(stored(), [1])
})

test('no two urgent calls share a commit, since the second would not know what the first one stores', async t => {
  const { ask, happened } = await behindDisk(t, 30)
  await settled(ask, () => {
    void ask('urgent', 'a')
    void ask('urgent', 'b')
    void ask('write', 'c')
  })
  deepEqual(happened, ['first', 'first done', 'a', 'c', 'commit', 'a done', 'c done', 'b', 'commit', 'b done'])
})

test('on a slow disk, neither many reads nor long writes keep an urgent call waiting for long', async t => {
  const { ask, happened } = await behindDisk(t, 30)
  await settled(ask, () => {
    void ask('urgent', 'urgent')
    for (const name of ['r1', 'r2', 'r3']) void ask('read', name, () => {}, 4)
    for (const name of ['w1', 'w2', 'w3']) void ask('write', name, () => {}, 7)
  })
  const before = happened.slice(1, happened.indexOf('commit')).filter(one => !one.includes('done'))
  deepEqual(before, ['r1', 'r2', 'urgent', 'w1', 'w2'])
})

test('a write that fails takes none of the others in its commit with it', async t => {
  const { ask, add, happened, stored } = await behindDisk(t, 30)
  await settled(ask, () => {
    void ask('write', 'a', add(1))
    void ask('write', 'again', add(1))
    void ask('write', 'b', add(2))
  })
  match(happened.find(one => one.startsWith('again:')) ?? '', /UNIQUE/)
  deepEqual([happened.includes('a done'), happened.includes('b done'), stored()], [true, true, [1, 2]])
})

test('when a shared commit fails, all of its calls fail, the urgent one too, and nothing is stored', async t => {
  const { raw, ask, add, happened, stored } = await behindDisk(t, 30)
  raw.exec('create table parents (n integer primary key)')
  raw.exec('create table children (n integer references parents (n) deferrable initially deferred)')
  await settled(ask, () => {
    void ask('urgent', 'a', add(1))
    void ask('write', 'orphan', () => raw.exec('insert into children values (7)'))
    void ask('write', 'b', add(2))
  })
  equal(happened.filter(one => /^(?:a|b|orphan): .*FOREIGN KEY/.test(one)).length, 3)
  equal(happened.includes('a done'), false)
  deepEqual(stored(), [])
  await ask('write', 'c', add(3))
  deepEqual(stored(), [3])
})

test('when SQLite gives up the transaction of several writes, as on a full disk, those before fail with it', async t => {
  const { raw, ask, add, happened, stored } = await behindDisk(t, 30)
  await settled(ask, () => {
    void ask('write', 'a', add(1))
    void ask('write', 'full', () => {
      raw.exec('rollback')
      throw new Error('the disk is full')
    })
    void ask('write', 'b', add(2))
  })
  deepEqual(
    happened.filter(one => one.includes('the disk is full')),
    ['full: the disk is full', 'a: the disk is full'],
  )
  deepEqual(stored(), [2])
})
