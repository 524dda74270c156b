/**
 * Importing a list of people: someone uploads a file, says what its columns contain, and sees a dry run; then the
 * import runs in the background, and ends with a report. It can be undone as a whole for a day.
 */
import { html } from 'hono/html'
import { assignees } from '../../lead-actions/assign.ts'
import { checkImport, startImport, undoImport } from '../../lead-actions/import-list.ts'
import { listValues } from '../../lead-actions/list-values.ts'
import { firstPlan, listNumber, oneLine, shortName, sourceProblem, storeList } from '../../lead-actions/upload-list.ts'
import { languageFor } from '../../leads/body/languages.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import { FILE_LIMITS, NotCsv } from '../../leads/import/csv-upload.ts'
import type { ImportPlan } from '../../leads/import/inquiry-of-row.ts'
import { type Columns, columnProblems, fieldsToChoose } from '../../leads/import/list-columns.ts'
import { statusColumnProblems } from '../../leads/import/status-list.ts'
import { TEAM } from '../../leads/lead/staff.ts'
import { MINUTE } from '../../platform/time.ts'
import type { Import, StateChange } from '../../store/imports/imports.ts'
import { auditEntries, byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, notFound } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, formOf, kindOf } from '../frame/form-fields.ts'
import { page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { planForm, startPage } from './import-forms.ts'
import { isUnderWay, progressOf, resultPage } from './import-result.ts'
import { rejectedRows } from './rejected.ts'
import { statusPlanOf, statusPlanPage } from './status-list-form.ts'
import { undoPage } from './undo-page.ts'
import { saveMeanings } from './unread-values.ts'

const PATH = '/import'
const ONE = `${PATH}/:id{[0-9]+}`

/** How long the connection stays open while a list is stored, in milliseconds. A busy machine takes a while. */
const STORING = 5 * MINUTE

/** The largest upload, in bytes: a file, and the rest of its form. */
const LARGEST_UPLOAD = FILE_LIMITS.bytes + 1_000_000

const action = 'import leads'

export const importRoutes: ConsoleRoute[] = [
  get(PATH, action, c => startPage(c), { menu: 'Import' }),
  post(PATH, action, upload, { largestBody: LARGEST_UPLOAD }),
  get(ONE, action, c => showImport(c)),
  get(`${ONE}/rejected.csv`, action, c => withImport(c, rejectedRows)),
  post(`${ONE}/check`, action, c => withImport(c, check)),
  post(`${ONE}/start`, action, c => withImport(c, start)),
  post(`${ONE}/meanings`, action, c => withImport(c, mean)),
  get(`${ONE}/undo`, action, c => withImport(c, undoPage)),
  post(`${ONE}/undo`, action, c => withImport(c, undo)),
  post(`${ONE}/discard`, action, c => withImport(c, discard)),
]

async function upload(c: ConsoleContext) {
  const { store, clock } = c.get('frame').deps
  const form = await formOf(c)
  const file = form.get('file')
  const purpose = form.get('purpose') === 'status' ? 'status' : 'people'
  if (!(file instanceof File) || (file.name === '' && file.size === 0)) return startPage(c, 'Choose a file first.')
  c.env.incoming.socket.setTimeout(STORING)
  const fileName = shortName(file.name) || 'list.csv'
  const { actor: by } = c.get('operator')
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const audit = auditEntries(c, 'uploaded a list')
    const id = await storeList(store, { bytes, fileName, by, now: clock.now(), purpose, audit })
    return redirect(c, `${PATH}/${id}`)
  } catch (error) {
    if (error instanceof NotCsv) return startPage(c, error.message)
    throw error
  }
}

async function withImport(
  c: ConsoleContext,
  handle: (c: ConsoleContext, list: Import) => Response | Promise<Response>,
): Promise<Response> {
  const list = await c.get('frame').deps.store.readImport(idIn(c))
  return list === undefined || list.state === 'reading' ? notFound(c) : handle(c, list)
}

const showImport = (c: ConsoleContext) =>
  withImport(c, async (_, list) => {
    if (c.req.header('x-part') === 'progress') return c.html(isUnderWay(list) ? progressOf(list) : '')
    const changing = list.state === 'checked' && c.req.query('change') === '1'
    if (list.state !== 'draft' && !changing) return resultPage(c, list)
    if (list.purpose === 'status') return statusPlanPage(c, list)
    const { store, settings } = c.get('frame').deps
    const kind = kindOf(c.req.query('kind'))
    const guessed = await firstPlan(store, list, {
      kind,
      languages: settings.languages,
      questions: listValues(settings).questions,
    })
    const plan = changing && list.plan ? { ...list.plan, recalled: false } : guessed
    return planPage(c, list, plan, [])
  })

async function planPage(
  c: ConsoleContext,
  list: Import,
  plan: ImportPlan & { recalled: boolean },
  problems: readonly string[],
) {
  const body = await planForm(c, list, plan, problems)
  return page(
    c,
    { title: list.fileName, current: PATH, width: 'wide', status: problems.length === 0 ? 200 : 422 },
    html`<p class="quiet">${counted(list.rows, 'row')}. Nothing is imported yet.</p>
${body}`,
  )
}

async function check(c: ConsoleContext, list: Import) {
  const { deps } = c.get('frame')
  const fields = await fieldsOf(c)
  if (list.purpose === 'status') {
    const plan = await statusPlanOf(c, list, fields)
    const problems = statusColumnProblems(plan.columns)
    if (problems.length > 0) return statusPlanPage(c, list, { plan, problems })
    return afterwards(c, list, (await checkImport(deps, list, { plan }, byOperator(c))).outcome)
  }
  const plan = await planOf(c, list, fields)
  const wrongSource = sourceProblem(plan.source)
  const problems = [
    ...columnProblems(plan.kind, plan.columns),
    ...(wrongSource === undefined ? [] : [`“Where they come from” ${wrongSource}.`]),
  ]
  if (problems.length > 0 || fields['guess'] !== undefined) {
    const guessed = await firstPlan(
      deps.store,
      { ...list, digest: '' },
      { kind: plan.kind, languages: [], questions: listValues(deps.settings).questions },
    )
    const shown = fields['guess'] === undefined ? plan : { ...plan, columns: guessed.columns }
    return planPage(c, list, { ...shown, recalled: false }, fields['guess'] ? [] : problems)
  }
  const { outcome } = await checkImport(deps, list, { plan }, byOperator(c))
  return afterwards(c, list, outcome)
}

async function planOf(
  c: ConsoleContext,
  { headers, plan }: Import,
  fields: Record<string, string | undefined>,
): Promise<ImportPlan> {
  const { deps } = c.get('frame')
  const { settings } = deps
  const kind = kindOf(fields['kind'])
  const known: readonly string[] = fieldsToChoose(kind, listValues(settings))
  const columns = headers.map((_, i) => {
    const field = fields[`column-${i}`] ?? ''
    return known.includes(field) ? field : null
  }) as Columns
  const chosen = (await assignees(deps)).find(({ id }) => id === fields['owner'])
  return {
    kind,
    columns,
    source: oneLine(fields['source'] ?? ''),
    language: languageFor(fields['language'], settings.languages),
    mayWrite: kind === 'student' && fields['mayWrite'] === 'on',
    ...(plan?.meanings && { meanings: plan.meanings }),
    ...(chosen && { owner: chosen.id === TEAM ? null : chosen.id }),
  }
}

async function mean(c: ConsoleContext, list: Import) {
  const { outcome } = await saveMeanings(c, list)
  return afterwards(c, list, outcome)
}

async function start(c: ConsoleContext, list: Import) {
  const { outcome } = await startImport(c.get('frame').deps, list, {}, byOperator(c))
  return afterwards(c, list, outcome)
}

async function undo(c: ConsoleContext, list: Import) {
  const { outcome } = await undoImport(c.get('frame').deps, list, {}, byOperator(c))
  return afterwards(c, list, outcome)
}

function afterwards(c: ConsoleContext, { id }: Import, result: StateChange) {
  if (result === 'gone') return notFound(c)
  if (result === 'before')
    throw new ConsoleError(
      409,
      'This import has continued in the meantime, or it is too late to undo it. Open its page again.',
    )
  return redirect(c, `${PATH}/${id}`)
}

async function discard(c: ConsoleContext, { id, fileName }: Import) {
  const audit = auditEntries(c, 'discarded a list', { detail: listNumber(id) })
  if (!(await c.get('frame').deps.store.discardImport(id, audit)))
    throw new ConsoleError(409, 'This list is already imported. Undo the import instead.')
  return redirect(c, PATH, { text: `${fileName} is discarded. Its rows are deleted within the hour.` })
}
