/**
 * Templates for emails that someone at the school writes to a person: Markdown files with Liquid, in `replies/`. Each
 * becomes the text of a form, and the author changes it before sending.
 */
import type { Settings } from '../config/settings.ts'
import { type ContentFolder, fileIn, markdownIn, ROOT_LANGUAGE } from '../content/content-files.ts'
import { schoolVariables } from '../content/school-variables.ts'
import { createTemplates } from '../content/templates.ts'
import { languageFor } from '../leads/body/languages.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { Lead } from '../leads/lead/lead.ts'
import { lazy } from '../platform/lazy.ts'
import { programOf, programsIn } from './messages/letter.ts'
import { personVariables } from './variables/person.ts'

export type ReplyTemplates = {
  /** The templates for a lead, in the order of their names: those in its language, and the English ones. */
  list(lead: Pick<Lead, 'kind' | 'language'>): { id: string; name: string }[]
  /** A template filled in for an invented person, of the kind that it is for; undefined if no template has that id. */
  sample(id: string, author: string): { subject: string; text: string } | undefined
  /** A template filled in for a lead; undefined if no template has that id. */
  fill(id: string, lead: Lead, author: string): { subject: string; text: string } | undefined
}

const LINES = ['name', 'for', 'subject'] as const

/**
 * The templates in these folders, loaded when they are first needed or, with `tryOut`, immediately. A file in the first
 * of `contentDirs` replaces one with the same name in the next.
 *
 * Throws an Error that names the file and the problem if one is broken.
 */
export function loadReplyTemplates({ contentDirs, settings, tryOut }: Options): ReplyTemplates {
  const languages = new Set([...settings.languages, ROOT_LANGUAGE])
  const templates = lazy(() => [...languages].flatMap(language => loadAll(language, contentDirs, settings)))
  if (tryOut) templates()
  return {
    list: lead => {
      const language = languageFor(lead.language, settings.languages)
      const fitting = templates().filter(one => one.kind === undefined || one.kind === lead.kind)
      const own = fitting.filter(one => one.language === language)
      const english = fitting.filter(one => one.language === ROOT_LANGUAGE)
      return [...new Set([...own, ...english])].map(({ id, name }) => ({ id, name }))
    },
    sample: (id, author) => {
      const isForSites = templates().find(one => one.id === id)?.kind === 'site'
      return fill(id, isForSites ? site : student, author)
    },
    fill,
  }

  function fill(id: string, lead: Lead, author: string) {
    const found = templates().find(one => one.id === id)
    if (found === undefined) return undefined
    const { template, language } = found
    const { head, markdown } = template(variablesOf(lead, author, settings, language), { strictVariables: false })
    return { subject: head.subject, text: markdown.replace(/\n{3,}/g, '\n\n').trim() }
  }
}

type Options = { contentDirs: ContentFolder[]; settings: Settings; tryOut: boolean }

/** The templates in a language. The id of one that is not English begins with its language. */
function loadAll(language: string, contentDirs: ContentFolder[], settings: Settings) {
  const { markdown } = createTemplates(contentDirs, 'trustedMarkdown', language)
  const ids = [...new Set(contentDirs.flatMap(folder => markdownIn(folder, fileIn(language, 'replies'))))]
  const templates = ids.map(id => {
    const file = fileIn(language, `replies/${id}.md`)
    const template = markdown(file, LINES)
    const tryOut = (lead: Lead) => template(variablesOf(lead, 'Maria Lopez', settings, language))
    const { head } = tryOut(student)
    tryOut(site)
    const kind = head.for === '' ? undefined : (head.for as Kind)
    if (kind !== undefined && kind !== 'student' && kind !== 'site')
      throw new Error(`${file}: "for" in its head must be student or site, or be left out`)
    return { id: fileIn(language, id), name: head.name, language, kind, template }
  })
  return templates.toSorted((one, other) => one.name.localeCompare(other.name))
}

function variablesOf(lead: Lead, author: string, settings: Settings, language: string) {
  return {
    school: schoolVariables(settings.school),
    person: { ...personVariables({ body: lead }, settings), first_name: lead.firstName },
    kind: lead.kind,
    company: lead.company,
    state: lead.state,
    counselor: author,
    programs: programsIn(language, settings),
    program: programOf(lead, language, settings),
  }
}

const person = { firstName: 'Ana', lastName: 'Ruiz', email: 'ana@mercy.example', phone: '1' }
const blank = { company: null, state: null, program: null } as Partial<Lead>
const student = { ...blank, ...person, kind: 'student', state: 'TX' } as Lead
const site = { ...blank, ...person, kind: 'site', company: 'Mercy Hospital' } as Lead
