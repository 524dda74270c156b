/** What the cells of imported lists can mean at this school. */
import { answersOf, LONGEST_LABEL, type OwnQuestion } from '../config/school-form.ts'
import { campusNames, formsOf } from '../config/school-forms.ts'
import type { Settings } from '../config/settings.ts'
import { timeZone } from '../follow-up/time-zones.ts'
import { inLanguage } from '../leads/body/languages.ts'
import { statesWith } from '../leads/body/states.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { ListValues } from '../leads/import/list-values.ts'
import type { ListQuestion, OwnChoice } from '../leads/import/own-columns.ts'
import { programNames } from '../leads/lead/programs.ts'
import { MANAGER, memberName } from '../leads/lead/staff.ts'
import { HOUR } from '../platform/time.ts'
import { takersOf } from './assign.ts'

export function listValues(settings: Settings): ListValues {
  const { admissions, school, studentInterest } = settings
  const zone = timeZone(school.timeZone)
  const addresses = new Map([
    ...admissions.counselors.map(({ id, email }) => [id, email] as const),
    [MANAGER, admissions.manager?.email] as const,
  ])
  return {
    states: statesWith(studentInterest.states),
    ownStates: studentInterest.states,
    programs: programNames(settings),
    people: takersOf(settings).map(({ id, name }) => {
      const email = addresses.get(id)
      return { id, name: memberName(id, admissions) ?? name, ...(email !== undefined && { email }) }
    }),
    campuses: [...new Set([...campusNames(settings), ...admissions.counselors.flatMap(one => one.campuses ?? [])])],
    questions: { student: questionsOf('student', settings), site: questionsOf('site', settings) },
    country: school.country,
    noonOf: day => zone.momentOf({ day, time: 12 * HOUR }),
  }
}

/**
 * The school's own questions in all forms of a kind, without repeats. Questions of archived forms are included, since
 * their answers are still stored.
 */
function questionsOf(kind: Kind, settings: Settings): ListQuestion[] {
  const [first = 'en'] = settings.languages
  const own = formsOf(settings).flatMap(form => (form.kind === kind ? (form.own ?? []) : []))
  const named = (label: OwnQuestion['label'], language: string) => inLanguage(label, language).slice(0, LONGEST_LABEL)
  return [...Map.groupBy(own, ({ label }) => named(label, first))].flatMap(([question, [one, ...others]]) => {
    if (one === undefined) return []
    const same = [one, ...others].filter(({ type }) => type === one.type)
    const choices = new Map(same.flatMap(other => choicesOf(other, settings)).map(choice => [choice.value, choice]))
    const names = same.flatMap(({ label }) => settings.languages.map(language => named(label, language)))
    return [{ question, names: [...new Set(names)], type: typeInLists[one.type], choices: [...choices.values()] }]
  })
}

const typeInLists: Record<OwnQuestion['type'], ListQuestion['type']> = {
  text: 'text',
  choice: 'one',
  choices: 'several',
  yesno: 'one',
  date: 'date',
  time: 'time',
  campus: 'campus',
  hidden: 'text',
}

/** The answers to a question, with their words in every language and, for yes and no, the words that lists use. */
function choicesOf(question: OwnQuestion, { languages }: Settings): OwnChoice[] {
  const [first = 'en'] = languages
  const yesOrNo = question.type === 'yesno' ? [YES, NO] : undefined
  return (answersOf(question, first) ?? []).map((value, i) => ({
    value,
    words: value,
    names: yesOrNo?.[i] ?? languages.flatMap(language => answersOf(question, language)?.[i] ?? []),
  }))
}

const YES = ['y', 'true', 'x', '1', 'sí']
const NO = ['n', 'false', '0']
