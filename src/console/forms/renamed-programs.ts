/** Programs that were renamed: forms name them by the words that were there before, and follow. */
import type { OwnQuestion, SchoolForm } from '../../config/school-form.ts'
import { formsOf } from '../../config/school-forms.ts'
import { programNames } from '../../leads/lead/programs.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { saveEdited, versionInForce } from '../versions/edited-page.ts'

/**
 * What each program is called now that stands where another one stood, whose name none has anymore. A list of another length
 * or in another order says nothing about that.
 */
function renamedPrograms(was: readonly string[], is: readonly string[]): Map<string, string> {
  const pairs = was.flatMap((name, i): [string, string][] => {
    const now = is[i]
    return now === undefined || is.includes(name) || was.includes(now) ? [] : [[name, now]]
  })
  return new Map(was.length === is.length ? pairs : [])
}

/** Saves the forms that name programs by what they were called before as a version of their own. `was`: those names. */
export async function followRenamedPrograms(c: ConsoleContext, deps: ConsoleDeps, was: readonly string[]) {
  const { settings } = deps
  const renamed = renamedPrograms(was, programNames(settings))
  const all = formsOf(settings)
  const forms = all.map(form => following(form, renamed))
  if (forms.every((form, i) => form === all[i])) return
  const note = `renamed ${[...renamed].map(([before, now]) => `${before} to ${now}`).join(', ')}`
  await saveEdited(c, deps, 'forms', { replaces: versionInForce('forms', deps), value: { forms }, note })
}

/** The same form if it names none of these programs. */
function following(form: SchoolForm, renamed: ReadonlyMap<string, string>): SchoolForm {
  const { program, own = [] } = form
  const now = program === undefined ? undefined : renamed.get(program)
  const after = (question: OwnQuestion): OwnQuestion => {
    const { showIf } = question
    const answer = showIf?.question === 'program' ? renamed.get(showIf.answer) : undefined
    return showIf === undefined || answer === undefined ? question : { ...question, showIf: { ...showIf, answer } }
  }
  const asked = own.map(after)
  const isSame = now === undefined && asked.every((question, i) => question === own[i])
  return isSame ? form : { ...form, ...(now !== undefined && { program: now }), ...(own.length > 0 && { own: asked }) }
}
