/** The parts of the settings that are edited in the console: what each contains, and whether it fits the others. */
import { kinds } from '../leads/body/submission.ts'
import {
  admissionsShape,
  answersShape,
  brandShape,
  cadencesShape,
  consentsShape,
  programsShape,
  type Settings,
  schoolHoursShape,
  type Texts,
  textsShape,
  type WrittenSettings,
} from './all-settings.ts'
import { answersProblems, brandProblems, cadencesProblems, staffProblems } from './cross-checks.ts'
import { type SchoolForm, schoolFormsShape } from './school-form.ts'
import { applyForms, formsOf, schoolFormProblems } from './school-forms.ts'
import type { Shape } from './shape.ts'
import { schoolProblems } from './time-checks.ts'

/** The value of a version of each part. */
export type Edited = {
  team: WrittenSettings['admissions']
  cadence: Pick<Settings['followUp'], 'student' | 'site'>
  hours: Pick<Settings['school'], 'hours' | 'holidays'>
  texts: Texts
  programs: Pick<Settings, 'programs'>
  /** The brand may name logos that were uploaded. */
  brand: Pick<Settings['school'], 'name' | 'phone' | 'website' | 'postalAddress' | 'brand'>
  consent: Record<'student' | 'site', Settings['forms']['student']['consent']>
  forms: { forms: SchoolForm[] }
  answers: Settings['studentInterest']['answers']
}

export type EditedPart = keyof Edited

type Part<T> = {
  /** The name for sentences: `the team`. */
  name: string
  /** The settings that it replaces, as the settings file writes them. */
  entries: readonly string[]
  /** The shape that a version must have; problems begin with the name of the setting. */
  shape: (value: unknown, problems: string[]) => T
  /** Why a version of the right shape does not fit the other settings, one sentence each. */
  problemsOf: (value: T, settings: Settings) => string[]
  /** The value of this part in some settings. */
  of: (settings: Settings) => T
  /** Changes `settings` in place. */
  apply: (settings: Settings, value: T) => void
}

const at =
  <T>(path: string, shape: Shape<T>) =>
  (value: unknown, problems: string[]): T =>
    shape(value, path, problems)

export const parts: { readonly [P in EditedPart]: Part<Edited[P]> } = {
  team: {
    name: 'the team',
    entries: ['admissions'],
    shape: at('admissions', admissionsShape),
    problemsOf: (admissions, { studentInterest }) => staffProblems({ admissions, studentInterest }),
    of: ({ admissions: { counselors, manager } }) => (manager === undefined ? { counselors } : { counselors, manager }),
    // A team without a manager does not have this entry.
    apply: (settings, team) => Object.assign(settings.admissions, { manager: undefined }, team),
  },
  cadence: {
    name: 'the cadence',
    entries: ['followUp.student', 'followUp.site'],
    shape: at('followUp', cadencesShape),
    problemsOf: followUp => cadencesProblems({ followUp }),
    of: ({ followUp: { student, site } }) => ({ student, site }),
    apply: (settings, cadences) => Object.assign(settings.followUp, cadences),
  },
  hours: {
    name: 'the school hours',
    entries: ['school.hours', 'school.holidays'],
    shape: at('school', schoolHoursShape),
    problemsOf: (value, { school }) => schoolProblems({ ...school, ...value }),
    of: ({ school: { hours, holidays } }) => ({ hours, holidays }),
    apply: (settings, value) => Object.assign(settings.school, value),
  },
  texts: {
    name: 'the emails',
    entries: [],
    shape: at('texts', textsShape),
    // The editor tries texts out before they are saved, since rendering a template needs a sample lead.
    problemsOf: () => [],
    of: ({ texts = {} }) => texts,
    apply: (settings, texts) => Object.assign(settings, { texts }),
  },
  programs: {
    name: 'the programs',
    entries: ['programs'],
    shape: at('', programsShape),
    problemsOf: () => [],
    of: ({ programs }) => ({ programs }),
    apply: (settings, value) => Object.assign(settings, value),
  },
  brand: {
    name: 'the name and the look',
    entries: ['school.name', 'school.phone', 'school.website', 'school.postalAddress', 'school.brand'],
    shape: at('school', brandShape),
    problemsOf: ({ brand }) => brandProblems(brand),
    of: ({ school: { name, phone, website, postalAddress, brand } }) => ({
      name,
      ...(phone !== undefined && { phone }),
      ...(website !== undefined && { website }),
      ...(postalAddress !== undefined && { postalAddress }),
      brand,
    }),
    apply: (settings, value) =>
      Object.assign(settings.school, { phone: undefined, website: undefined, postalAddress: undefined }, value),
  },
  consent: {
    name: 'the consent',
    entries: ['forms.student.consent', 'forms.site.consent'],
    shape: at('forms', consentsShape),
    problemsOf: () => [],
    of: ({ forms: { student, site } }) => ({ student: student.consent, site: site.consent }),
    apply: ({ forms }, { student, site }) => {
      forms.student.consent = student
      forms.site.consent = site
    },
  },
  forms: {
    name: 'the forms',
    entries: kinds.flatMap(kind =>
      ['title', 'introduction', 'fields', 'sent', 'sentUrl'].map(name => `forms.${kind}.${name}`),
    ),
    shape: at('', schoolFormsShape),
    problemsOf: ({ forms }) => schoolFormProblems(forms),
    of: settings => ({ forms: [...formsOf(settings)] }),
    apply: (settings, { forms }) => applyForms(settings, forms),
  },
  answers: {
    name: 'the answers to choose from',
    entries: ['studentInterest.answers'],
    shape: at('studentInterest.answers', answersShape),
    problemsOf: answersProblems,
    of: ({ studentInterest: { answers } }) => answers,
    apply: (settings, answers) => {
      settings.studentInterest.answers = answers
    },
  },
}

export const editedParts = Object.keys(parts) as EditedPart[]

/** Checks a version as the settings file is checked. If there are problems, the value must not be saved. */
export function checkEdited<P extends EditedPart>(
  part: P,
  value: unknown,
  settings: Settings,
): { value: Edited[P]; problems: string[] } {
  const problems: string[] = []
  const shaped = parts[part].shape(value, problems)
  if (problems.length === 0) problems.push(...parts[part].problemsOf(shaped, settings))
  return { value: shaped, problems }
}

/** The value of a part according to the settings file and, where the file says nothing, the defaults. */
export const inFile = <P extends EditedPart>(part: P, { fromFile }: { fromFile: Settings }): Edited[P] =>
  parts[part].of(fromFile)
