/** A form of the school while someone edits it: what the editor's fields mean, and what its buttons do. */
import type { Settings } from '../../config/all-settings.ts'
import { type OptionalQuestion, optionalQuestions, type Question, type SchoolForm } from '../../config/school-form.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { kindOf } from '../frame/form-fields.ts'
import { readLocalized } from '../school/localized-fields.ts'
import { labelsIn } from './label-fields.ts'
import { lookIn } from './look-fields.ts'
import { ownIn } from './own-fields.ts'
import { prefillIn } from './prefill-fields.ts'

type Fields = Record<string, string | undefined>

/** A question in the order of the editor. A question that the form does not ask has no `answer`. */
type Row = { field: OptionalQuestion; answer: Question['answer'] | undefined }

/** The questions of a form in the order of the editor: first those that it asks, then the others. */
export function rowsOf({ kind, questions }: SchoolForm): Row[] {
  const asked = new Set(questions.map(({ field }) => field))
  const others = optionalQuestions[kind].filter(field => !asked.has(field))
  return [...questions, ...others.map(field => ({ field, answer: undefined }))]
}

/** The form that the fields describe; nothing is checked yet. `state`: the state of the form that is edited. */
export function formIn(fields: Fields, settings: Settings, state: SchoolForm['state']): SchoolForm {
  const kind = kindOf(fields['kind'])
  const own = ownIn(fields, settings)
  const of = (name: string) => (fields[name] ?? '').trim() || undefined
  const words = (name: string) => {
    const text = readLocalized(name, fields, settings)
    return text === undefined ? {} : { [name]: text }
  }
  const given = (name: 'sentUrl' | 'language' | 'program' | 'source') => {
    const text = of(name)
    return text === undefined ? {} : { [name]: text }
  }
  const form: SchoolForm = {
    name: of('name') ?? '',
    kind,
    ...words('title'),
    ...words('introduction'),
    ...words('button'),
    ...labelsIn(fields, { kind }, settings),
    ...words('consent'),
    ...lookIn(fields),
    ...words('sent'),
    ...given('sentUrl'),
    questions: questionsIn(fields, kind),
    ...(own.length > 0 && { own }),
    ...given('language'),
    ...given('program'),
    ...given('source'),
    ...(fields['steps'] === 'on' && { steps: 'two' as const }),
    ...(state !== undefined && { state }),
  }
  const prefill = prefillIn(fields, form)
  return prefill.length === 0 ? form : { ...form, prefill }
}

/** The questions in the order of the page, after the move, if a button that moves one was pressed. */
function questionsIn(fields: Fields, kind: Kind): Question[] {
  const known: readonly string[] = optionalQuestions[kind]
  const order = (fields['order'] ?? '').split(' ').filter((name): name is OptionalQuestion => known.includes(name))
  const [, moved] = /^up:(\w+)$/.exec(fields['do'] ?? '') ?? []
  const questions = order.flatMap((field): Question[] => {
    const answer = fields[`ask-${field}`]
    return answer === 'optional' || answer === 'required' ? [{ field, answer }] : []
  })
  const at = questions.findIndex(({ field }) => field === moved)
  const [question] = at > 0 ? questions.splice(at, 1) : []
  if (question !== undefined) questions.splice(at - 1, 0, question)
  return questions
}

/** Whether a button was pressed that only changes what the page shows. */
export const isMove = (fields: Fields): boolean => /^(?:up|own-\w+):/.test(fields['do'] ?? '')
