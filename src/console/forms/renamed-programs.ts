/** Programs that were renamed. Forms refer to programs by name, so the forms must change, too. */
import type { OwnQuestion, SchoolForm } from '../../config/school-form.ts'
import { formsOf } from '../../config/school-forms.ts'
import { programNames } from '../../leads/lead/programs.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { saveEdited, versionInForce } from '../versions/edited-page.ts'

/**
 * The new name of each renamed program. A program was renamed if a new name is at its place in the list. If the length
 * or the order of the list has changed, this cannot be known.
 */
function renamedPrograms(was: readonly string[], is: readonly string[]): Map<string, string> {
  const pairs = was.flatMap((name, i): [string, string][] => {
    const now = is[i]
    return now === undefined || is.includes(name) || was.includes(now) ? [] : [[name, now]]
  })
  return new Map(was.length === is.length ? pairs : [])
}

/** Saves the forms that use former names of programs, as a separate version. `was`: the former names. */
export async function followRenamedPrograms(c: ConsoleContext, deps: ConsoleDeps, was: readonly string[]) {
  const { settings } = deps
  const renamed = renamedPrograms(was, programNames(settings))
  const all = formsOf(settings)
  const forms = all.map(form => following(form, renamed))
  if (forms.every((form, i) => form === all[i])) return
  const note = `renamed ${[...renamed].map(([before, now]) => `${before} to ${now}`).join(', ')}`
  await saveEdited(c, deps, 'forms', { replaces: versionInForce('forms', deps), value: { forms }, note })
}

/** The form with the new names; the same form if it does not mention these programs. */
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
