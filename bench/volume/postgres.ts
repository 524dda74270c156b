/** Fills a PostgreSQL database. Its indexes are created at the end, and nothing waits for the disk. */
import pg from 'pg'
import { type Dialect, fillStatements, tables } from './rows.ts'

const dialect: Dialect = {
  series: (from, to) => `select * from generate_series(${from}::bigint, ${to})`,
  digest: 'substr(md5(random()::text || n), 1, 22)',
  inOrder: 'order by n, place',
  batch: 'n',
}

/** Only for filling. A setting from the command line could not be reset. */
const FILL_SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' }

/** With these server settings, PostgreSQL does not log writes to a table that was just truncated. */
export const unloggedFill = ['wal_level=minimal', 'max_wal_senders=0']

export async function fillPostgres(url: string, leads: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = async (...statements: string[]) => {
    for (const statement of statements) await client.query(statement)
  }
  for (const [name, value] of Object.entries(FILL_SETTINGS)) await run(`alter system set ${name} = ${value}`)
  await run('select pg_reload_conf()', "set maintenance_work_mem = '1GB'", "set work_mem = '256MB'")
  await run('begin', 'set local session_replication_role = replica')
  await run(`truncate ${tables.join(', ')} restart identity cascade`)
  const { drop, create } = await indexesOf(client)
  await run(...drop, ...fillStatements(leads, Date.now(), dialect), ...create)
  await run("select setval('submissions_id_seq', (select max(id) from submissions))", 'commit')
  await run('vacuum (analyze, freeze)')
  for (const name of Object.keys(FILL_SETTINGS)) await run(`alter system reset ${name}`)
  await run('select pg_reload_conf()', 'checkpoint')
  await client.end()
}

/** All indexes, except those that a foreign key needs. */
async function indexesOf(client: pg.Client): Promise<{ drop: string[]; create: string[] }> {
  const { rows } = await client.query(
    `select
       case when c.oid is null then format('drop index %I', i.indexrelid::regclass::text)
         else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
       case when c.oid is null then pg_get_indexdef(i.indexrelid)
         else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname,
           pg_get_constraintdef(c.oid)) end as create
     from pg_index i
     left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
     where i.indrelid = any ($1::regclass[])
       and not exists (select from pg_constraint f where f.contype = 'f' and f.conindid = i.indexrelid)`,
    [tables],
  )
  return { drop: rows.map(row => row.drop), create: rows.map(row => row.create) }
}
