/** Tags and programs of leads: given, taken off, found and shown in the console. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aSite, aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { readable } from '../support/forms.ts'

const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }

const settings = {
  admissions: { counselors: [maria] },
  programs: [{ name: { en: 'Surgical Technology', es: 'Tecnología quirúrgica' } }, { name: 'Sterile Processing' }],
}

/** The students 1 and 2, and the site 3. */
async function aService(t: TestContext) {
  const service = await startConsole(t, { settings })
  for (const [name, message] of [
    ['Zoë', 'When does surgical technology begin?'],
    ['Ben', 'Quiero estudiar TECNOLOGIA QUIRURGICA, o sterile'],
  ])
    await service.postStudent(
      aStudent({ firstName: name, message, email: `${name === 'Ben' ? 'ben' : 'zoe'}@mail.example` }),
    )
  await service.postSite(aSite())
  await service.settle()
  const { store } = service.app
  const client = await service.client('manager')
  const labelsOf = async (id: number) =>
    ((await store.readLabels([id])).get(id) ?? []).map(({ kind, name }) => `${kind} ${name}`)
  const idOf = async (name: string) => (await store.listLabels('tag')).find(one => one.name === name)?.id ?? 0
  const leads = async (path: string) =>
    [...(await client.get(path)).text.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => Number(id))
  return { ...service, store, client, newClient: service.client, labelsOf, idOf, leads }
}

const undo = (text: string): [path: string, fields: Record<string, string>] => {
  const form = /<div class="flash".*?<form method="post" action="([^"]+)">(.*?)<\/form>/s.exec(text)
  if (!form) throw new Error(`nothing to undo on this page: ${readable(text)}`)
  const [, path = '', inner = ''] = form
  const fields = [...inner.matchAll(/name="(\w+)" value="([^"]*)"/g)]
  return [path, Object.fromEntries(fields.map(([, name, value]) => [name, value]))]
}

describe('tags', () => {
  test('are given and taken off on the page of a lead, each with its undo', async t => {
    const { client, labelsOf, idOf } = await aService(t)
    const given = await client.post('/leads/3', { do: 'tag', tag: '  #Fair <2027> ' })
    match(given.text, /Tagged “Fair &lt;2027&gt;”\./)
    match(given.text, /Tagged “Fair &lt;2027&gt;”<\/span> <span class="quiet">by The manager/)
    deepEqual(await labelsOf(3), ['tag Fair <2027>'])
    match(
      (await client.post('/leads/3', { do: 'tag', tag: 'fair <2027>' })).text,
      /This lead already has the tag “fair &lt;2027&gt;”\./,
    )
    match((await client.post(...undo(given.text))).text, /Undone/)
    deepEqual(await labelsOf(3), [])
    await client.post('/leads/3', { do: 'tag', tag: 'Fair' })
    const label = String(await idOf('Fair'))
    const removed = await client.post('/leads/3', { do: 'remove label', label, name: 'Fair' })
    match(removed.text, /Removed “Fair”\./)
    await client.post(...undo(removed.text))
    deepEqual(await labelsOf(3), ['tag Fair'])
    for (const tag of ['', ' ', 'x'.repeat(41), 'a\nb'])
      equal((await client.post('/leads/3', { do: 'tag', tag })).status, 422)
  })

  test('are given to many leads at once, with one undo', async t => {
    const { client, labelsOf, idOf, leads } = await aService(t)
    const form = new URLSearchParams({ do: 'tag', tag: 'Fair' })
    for (const id of ['1', '3']) form.append('lead', id)
    const after = await client.post('/inbox/actions', form)
    match(after.text, /2 leads: tagged “Fair”\./)
    const fair = await idOf('Fair')
    deepEqual(await leads(`/inbox?tag=${fair}`), [3, 1])
    deepEqual(await leads(`/board?kind=site&tag=${fair}`), [3])
    deepEqual(await leads(`/board?tag=${fair}`), [1])
    match((await client.get(`/inbox?tag=${fair}`)).text, /tag: Fair<span aria-hidden/)
    match((await client.get('/inbox?q=fai')).text, /href="\/inbox\?tag=\d+&amp;stage=any">Tag: Fair</)
    match((await client.get(`/export/leads.csv?tag=${fair}`)).text, /,Tags,Programs,.*,Fair,/s)
    match((await client.post(...undo(after.text))).text, /Undone\./)
    deepEqual([await labelsOf(1), await labelsOf(3)], [['program Surgical Technology'], []])
  })

  test('are renamed or deleted by managers for all leads, and the audit log says who did it', async t => {
    const { client, newClient, labelsOf, idOf, store } = await aService(t)
    await client.post('/leads/3', { do: 'tag', tag: 'Fair' })
    await client.post('/leads/3', { do: 'tag', tag: 'Night' })
    const fair = await idOf('Fair')
    match((await client.post(`/tags/${fair}`, { name: 'night' })).text, /There is already a tag “night”/)
    match((await client.post(`/tags/${fair}`, { name: 'Fair 2027' })).text, /“Fair” is now “Fair 2027”/)
    deepEqual(await labelsOf(3), ['tag Fair 2027', 'tag Night'])
    match((await client.post(`/tags/${fair}/delete`)).text, /“Fair 2027” is deleted/)
    match((await client.post(`/tags/${fair}/delete`)).text, /This tag no longer exists/)
    deepEqual(await labelsOf(3), ['tag Night'])
    const [deleted, renamed] = await store.listAudit({ limit: 2 })
    deepEqual(
      [renamed, deleted].map(one => [one?.action, one?.detail]),
      [
        ['renamed a tag', `tag ${fair}`],
        ['deleted a tag', `tag ${fair}`],
      ],
      'a tag may name a person, and the log outlives them',
    )
    equal((await (await newClient('counselor', maria)).get('/tags')).status, 403)
  })
})

test('programs are named where there are some, and the page of tags says where they come from', async t => {
  const { client } = await aService(t)
  match((await client.get('/leads/1')).text, /<h2 id="tags-title">Tags and programs</)
  match((await client.get('/tags')).text, /The settings file lists the programs\./)
  const without = await startConsole(t, { settings: { programs: [] } })
  await without.postStudent(aStudent())
  await without.settle()
  const manager = await without.client('manager')
  match((await manager.get('/leads/1')).text, /<h2 id="tags-title">Tags</)
  match((await manager.get('/tags')).text, /lists the programs: none so far\./)
})

describe('programs of interest', () => {
  test('are those that a person named in any language, and those that the staff add', async t => {
    const { client, labelsOf, leads, store } = await aService(t)
    deepEqual(await labelsOf(1), ['program Surgical Technology'])
    deepEqual(await labelsOf(2), ['program Surgical Technology'])
    const page = await client.post('/leads/2', { do: 'add program', program: 'Sterile Processing' })
    match(page.text, /Recorded: interested in Sterile Processing\./)
    doesNotMatch(page.text, /<option>Sterile Processing/)
    equal((await client.post('/leads/2', { do: 'add program', program: 'Piano' })).status, 422)
    const [sterile, surgical] = await store.listLabels('program')
    deepEqual(await leads(`/inbox?program=${sterile?.id}`), [2])
    deepEqual(await leads(`/inbox?program=${surgical?.id}`), [2, 1])
  })
})
