/** RFC 9264 section 4.2, read strictly: the problems of a document, one sentence each. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isAbsolute = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')

const isListOf = (value: unknown, member: (value: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(member)

/** Registered names are in lower case, others are URIs (RFC 8288 section 2.1). */
const isRelation = (name: string): boolean => /^[a-z][a-z0-9.-]*$/.test(name) || URL.canParse(name)

const isText = (value: unknown): boolean => typeof value === 'string'

/** By target attribute; section 4.2.4. All others are lists of strings. */
const attributes: Record<string, (value: unknown) => boolean> = {
  href: isAbsolute,
  type: value => typeof value === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(value),
  media: isText,
  title: isText,
  'title*': value => isListOf(value, entry => isObject(entry) && isText(entry['value'])),
}

export function linksetProblems(document: unknown): string[] {
  if (!isObject(document) || Object.keys(document).join() !== 'linkset') {
    return ['linkset must be the sole member']
  }
  const { linkset } = document
  if (!Array.isArray(linkset)) return ['linkset must be an array']
  return linkset.flatMap(contextProblems)
}

function contextProblems(context: unknown): string[] {
  if (!isObject(context)) return ['a context must be an object']
  const { anchor, ...relations } = context
  const names = Object.keys(relations)
  return [
    ...(isAbsolute(anchor) ? [] : ['an anchor must be an absolute URL']),
    ...(names.length > 0 ? [] : ['a context needs a relation']),
    ...names.filter(name => !isRelation(name)).map(name => `${name} is not a relation`),
    ...names.flatMap(name => targetProblems(name, relations[name])),
  ]
}

function targetProblems(relation: string, targets: unknown): string[] {
  if (!isListOf(targets, isObject)) return [`${relation} must be an array of objects`]
  return (targets as Record<string, unknown>[]).flatMap(target => [
    ...('href' in target ? [] : [`${relation} needs an href`]),
    ...Object.entries(target)
      .filter(([name, value]) => !(attributes[name] ?? (v => isListOf(v, isText)))(value))
      .map(([name]) => `${name} of ${relation} has the wrong form`),
  ])
}
