// Keeps what someone types until it is sent: every form in this browser, and one with `data-keep` on the server, too, where
// it outlives the device, and colleagues see it. A form is sent once the service can be reached, so that no error page of the
// browser takes its place.

const { operator, timeZone } = document.querySelector('[data-operator]')?.dataset ?? {}

// In milliseconds: after the last key; while someone types on; until the next try; how long a try may take.
const PAUSE = 1000
const LONGEST_PAUSE = 5000
const AGAIN = 5000
const TIMEOUT = 10_000
// So long, what was typed and never sent stays in the browser.
const KEPT = 7 * 24 * 60 * 60 * 1000

const TEXT = 'textarea, input:is(:not([type]), [type=text], [type=email], [type=tel], [type=search], [type=url], [type=number], [type=date], [type=time])'
const SECRET = '[type=password], [name=current], [name=code], [name=secret], [name=token]'
// Hidden fields that differ from one copy of a form to the next.
const OF_ONE_COPY = ['seen', 'seenOther', 'once', 'version', 'replaces', 'back', 'next', 'filter', 'state']

const controls = form => [...form.elements].filter(one => one.name && !one.matches('[type=hidden], [type=file], [data-secret], button, fieldset, output'))
const texts = form => controls(form).filter(one => one.matches(TEXT))
const isChecked = one => one.type === 'checkbox' || one.type === 'radio'

// The cadence keeps its draft in the URL. As everywhere, attributes are read as such: a field named `method` stands in the
// place of the property.
const isKept = form =>
  operator && form.getAttribute('method') === 'post' && !form.dataset.draft && !form.dataset.passkey && texts(form).length > 0 &&
  ![...form.elements].some(one => one.matches(SECRET))

const pathOf = form => new URL(form.getAttribute('action') ?? '', location.href).pathname
function keyOf(form) {
  const about = [...form.elements].filter(one => one.type === 'hidden' && !OF_ONE_COPY.includes(one.name))
  const parts = [...about.map(one => `${one.name}=${one.value}`), ...texts(form).map(one => one.name)]
  return `typed ${operator} ${pathOf(form)} ${parts.join(' ')}`
}

// A box is known by its value, too: in a list of people, a tick belongs to one of them.
const nameOf = one => (isChecked(one) ? `${one.name}=${one.value}` : one.name)
const values = form => controls(form).map(one => [nameOf(one), isChecked(one) ? one.checked : one.value])
function fill(form, saved) {
  const left = [...saved]
  for (const one of controls(form)) {
    const index = left.findIndex(([name]) => name === nameOf(one))
    if (index < 0) continue
    const [[, value]] = left.splice(index, 1)
    const part = one.closest('details')
    if (part && form.contains(part) && value !== (isChecked(one) ? one.checked : one.value)) part.open = true
    if (isChecked(one)) one.checked = value
    else if (one.tagName !== 'SELECT' || [...one.options].some(option => option.value === value)) one.value = value
  }
}
// A preview follows what stands in the form, not only what someone types.
const filled = form => form.dispatchEvent(new Event('input'))
const isTyped = form => texts(form).some(one => one.value !== one.defaultValue)
// What would be lost if the form were.
const hasText = form => isTyped(form) || (form.dataset.keep && !isBlank(form))
// Nothing is left of what someone may have typed.
const isBlank = form => texts(form).every(one => one.value.trim() === '' || one.value === one.dataset.usual)

const read = key => {
  try {
    return JSON.parse(localStorage.getItem(key))
  } catch {
    return null
  }
}
// A browser may have no room, or not let us store anything: then the server is what keeps it.
const write = (key, copy) => {
  try {
    localStorage.setItem(key, JSON.stringify(copy))
  } catch {}
}
const keepHere = form => write(keyOf(form), { at: Date.now(), values: values(form) })
const forgetHere = form => localStorage.removeItem(keyOf(form))
// The server has it. The next page may have been asked for before that, and be without it: so the copy stays until a page
// is asked for later.
const savedHere = form => {
  const copy = read(keyOf(form))
  if (copy) write(keyOf(form), { ...copy, saved: Date.now() })
}
const isOnThisPage = ({ saved = Number.POSITIVE_INFINITY }) => saved < performance.timeOrigin

// What a form says about what it keeps.
function lineOf(form) {
  const known = form.querySelector('[data-kept]')
  if (known) return known
  const line = document.createElement('p')
  line.className = 'kept'
  line.dataset.kept = ''
  line.innerHTML = '<span></span> <button type="button" class="plain small" name="discard">Discard</button>'
  form.append(line)
  return line
}
function show(form, words, { button = 'Discard', trouble = false } = {}) {
  const line = lineOf(form)
  line.hidden = false
  line.classList.toggle('bad', trouble)
  const text = line.querySelector('span')
  if (trouble && text.textContent !== words) document.dispatchEvent(new CustomEvent('say', { detail: words }))
  text.textContent = words
  line.querySelector('button').textContent = button
}
const hide = form => {
  const line = form.querySelector('[data-kept]')
  if (line) line.hidden = true
}

// What is going on with a form: `version` counts the changes, `saved` is the last one that the server has.
const states = new WeakMap()
function stateOf(form) {
  if (!states.has(form)) states.set(form, { version: 0, saved: 0, queue: Promise.resolve() })
  return states.get(form)
}

async function send(form, leaving) {
  const body = new FormData(form)
  for (const [name, value] of [...body]) if (value instanceof File) body.delete(name)
  if (isBlank(form)) body.set('discard', 'yes')
  const signal = AbortSignal.timeout(TIMEOUT)
  const asked = { method: 'POST', body, headers: { 'x-part': 'draft' }, keepalive: leaving, signal }
  const response = await fetch(form.dataset.keep, asked).catch(() => undefined)
  if (response === undefined || response.status >= 500) return { outcome: 'away' }
  if (response.status === 401) return { outcome: 'signed out' }
  if (!response.ok) return { outcome: 'refused' }
  const said = await response.json().catch(() => undefined)
  return said === undefined ? { outcome: 'away' } : { outcome: 'saved', ...said }
}

// Saves a form on the server. Returns what became of it: saved, away, signed out, or refused.
function save(form, { leaving = false } = {}) {
  const its = stateOf(form)
  clearTimeout(its.timer)
  its.waiting = undefined
  const saving = async () => {
    const { version } = its
    const { outcome, words, others } = await send(form, leaving)
    if (outcome === 'saved') {
      its.saved = version
      if (its.version === version) savedHere(form)
      if (!discarded.has(form)) isBlank(form) ? hide(form) : show(form, words)
      const place = document.querySelector('[data-others]')
      if (place && others !== undefined) showOthers(place, others)
    } else {
      show(form, troubles[outcome], { trouble: true })
      if (outcome === 'signed out') document.dispatchEvent(new Event('signed-out'))
      if (outcome !== 'refused') its.timer = setTimeout(save, AGAIN, form)
    }
    return outcome
  }
  its.queue = leaving ? saving() : its.queue.then(saving)
  return its.queue
}
// What someone has unfolded stays so.
function showOthers(place, others) {
  const isOpen = [...place.querySelectorAll('details')].map(one => one.open)
  place.innerHTML = others
  place.querySelectorAll('details').forEach((one, index) => {
    one.open = isOpen[index] === true
  })
}
const troubles = {
  away: 'Not saved yet: the service is not reachable. This browser keeps what you typed.',
  'signed out': 'Not saved yet: you are signed out. This browser keeps what you typed.',
  refused: 'Not saved: open this page again, or copy what you typed.',
}
const isDirty = form => form.dataset.keep && states.has(form) && stateOf(form).saved < stateOf(form).version
const dirtyForms = () => [...document.forms].filter(isDirty)

function changed(form) {
  if (!isKept(form)) return
  const its = stateOf(form)
  its.version++
  if (isTyped(form)) keepHere(form)
  else forgetHere(form)
  if (!form.dataset.keep) return
  its.waiting ??= Date.now()
  clearTimeout(its.timer)
  its.timer = setTimeout(save, Math.min(PAUSE, Math.max(0, its.waiting + LONGEST_PAUSE - Date.now())), form)
}
for (const type of ['input', 'change'])
  document.addEventListener(type, ({ target }) => {
    if (!target.form || target.matches('[type=file]')) return
    if (discarded.delete(target.form)) hide(target.form)
    changed(target.form)
  })
document.addEventListener('focusout', ({ target }) => target.form && isDirty(target.form) && save(target.form))
addEventListener('online', () => dirtyForms().forEach(form => save(form)))
const leave = () => {
  for (const form of dirtyForms()) if (!form.dataset.checked) save(form, { leaving: true })
}
document.addEventListener('visibilitychange', () => document.hidden && leave())
addEventListener('pagehide', leave)

// Sends a form once the service is there; what was typed in other forms is saved first.
document.addEventListener(
  'submit',
  event => {
    const { target: form, submitter } = event
    if (submitter?.formTarget || submitter?.name === 'discard' || form.dataset.checked) return
    const signsOut = operator && pathOf(form) === '/sign-out'
    const waits = form.dataset.draft || (isKept(form) && hasText(form)) || (signsOut && dirtyForms().length > 0)
    if (signsOut && !waits) forgetAll()
    if (!waits) return
    event.preventDefault()
    event.stopPropagation()
    if (!form.dataset.checking) check(form, submitter, signsOut)
  },
  true,
)
async function check(form, submitter, signsOut) {
  form.dataset.checking = 'yes'
  const others = dirtyForms().filter(one => one !== form)
  const outcomes = await Promise.all([form.dataset.keep ? save(form) : ping(), ...others.map(one => save(one))])
  delete form.dataset.checking
  if (outcomes.includes('away')) {
    if (isKept(form)) keepHere(form)
    return show(form, 'Not sent: the service is not reachable. What you typed is kept; send it again in a moment.', {
      trouble: true,
    })
  }
  if (signsOut) forgetAll()
  clearTimeout(stateOf(form).timer)
  sessionStorage.setItem(SENT, keyOf(form))
  form.dataset.checked = 'yes'
  form.requestSubmit(submitter)
}
async function ping() {
  const { href } = document.querySelector('link[rel=icon]')
  const asked = { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT) }
  const response = await fetch(href, asked).catch(() => undefined)
  return response?.ok ? 'there' : 'away'
}
const SENT = 'sent'
const keys = () => Object.keys(localStorage).filter(key => key.startsWith('typed '))
const forgetAll = () => {
  for (const key of keys()) if (key.startsWith(`typed ${operator} `)) localStorage.removeItem(key)
}
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.checked
})

// One that was answered in place was sent, too.
document.addEventListener('answered', ({ target: form }) => {
  if (!isTyped(form)) {
    forgetHere(form)
    // It may have other rows than when it was sent.
    localStorage.removeItem(sessionStorage.getItem(SENT))
  }
  sessionStorage.removeItem(SENT)
  hide(form)
})

// What was discarded, or stood there before a saved reply, comes back until someone types again.
const discarded = new WeakMap()
function offerUndo(form, words, before) {
  discarded.set(form, before)
  show(form, words, { button: 'Undo' })
}
document.addEventListener('click', event => {
  const button = event.target.closest?.('[data-kept] button')
  if (!button) return
  event.preventDefault()
  const { form } = button
  const before = discarded.get(form)
  discarded.delete(form)
  if (before) {
    fill(form, before)
    hide(form)
  } else {
    offerUndo(form, 'Discarded.', values(form))
    if (form.dataset.keep) for (const one of texts(form)) one.value = one.dataset.usual ?? ''
    else form.reset()
  }
  changed(form)
  filled(form)
})

// As all times of the console, in the school's time zone.
function timeInWords(at) {
  const { lang } = document.documentElement
  const day = new Date(at).toLocaleDateString(lang, { weekday: 'long', timeZone })
  return `${day}, ${new Date(at).toLocaleTimeString(lang, { hour: 'numeric', minute: '2-digit', timeZone })}`
}

// What was kept stands in the form again. The page after a form that was sent says what it did, or has what became of it.
const sent = sessionStorage.getItem(SENT)
if (sent && document.querySelector('[data-flash], [data-received]')) localStorage.removeItem(sent)
if (operator) sessionStorage.removeItem(SENT)
for (const key of keys()) {
  const copy = read(key)
  if (!(copy?.at > Date.now() - KEPT) || isOnThisPage(copy)) localStorage.removeItem(key)
}
for (const form of document.forms) {
  const kept = isKept(form) ? read(keyOf(form)) : null
  if (kept === null) continue
  // What was just sent stands in it, which is newer.
  if (form.matches('[data-received]')) {
    forgetHere(form)
    continue
  }
  const older = kept.at < Number(form.dataset.saved ?? 0)
  const before = new Map(values(form))
  fill(form, kept.values)
  // Another device has gone on: both are kept.
  if (older)
    for (const one of texts(form)) {
      const theirs = before.get(one.name)
      if (one.tagName === 'TEXTAREA' && theirs && !one.value.includes(theirs)) one.value = `${theirs}\n\n${one.value}`
    }
  if (!isTyped(form)) forgetHere(form)
  else {
    texts(form)[0].closest('details')?.setAttribute('open', '')
    show(form, `Not saved yet: kept from ${timeInWords(kept.at)}.`)
    filled(form)
    stateOf(form).version++
    if (form.dataset.keep) save(form)
  }
}

// Puts a saved reply into the field that the form names.
for (const form of document.querySelectorAll('form[data-fill]')) {
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const url = `${pathOf(form)}?${new URLSearchParams(new FormData(form, event.submitter))}`
    const response = await fetch(url, { headers: { 'x-part': 'template', 'x-page-of': operator } }).catch(() => undefined)
    if (response?.redirected) return document.dispatchEvent(new Event('signed-out'))
    const filled = response?.ok ? await response.json() : {}
    const field = document.getElementById(form.dataset.fill)
    if (filled.text === undefined)
      return show(field.form, 'The saved reply is not here: the service is not reachable.', { trouble: true })
    insert(field, filled, 'Saved reply filled in.')
  })
}

// The draft of a colleague stays theirs, too.
document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-use]')
  const field = button && document.getElementById(button.dataset.use)
  if (!field) return
  const { author, subject } = button.dataset
  const text = button.closest('.others-draft').querySelector('blockquote').textContent
  insert(field, { text, subject: subject || undefined }, `Taken over from ${author}.`)
})

// Puts a text where the cursor stands, and the subject where no one has typed another. `words` says so, beside its undo.
function insert(field, { text, subject }, words) {
  const { form } = field
  const was = values(form)
  const own = form.elements.subject
  if (own && subject !== undefined && own.value === own.dataset.usual) own.value = subject
  const at = field.value.trim() === '' ? 0 : field.selectionStart
  const before = field.value.slice(0, at)
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  const rest = field.value.trim() === '' ? '' : field.value.slice(at)
  field.value = `${before}${gap}${text}${rest === '' || rest.startsWith('\n') ? '' : '\n\n'}${rest}`
  field.focus()
  changed(form)
  offerUndo(form, words, was)
}

// The frame of a preview is there from the first preview on.
document.addEventListener(
  'submit',
  ({ submitter }) => {
    const frame = document.querySelector(`template[data-preview="${submitter?.formTarget}"]`)
    frame?.replaceWith(frame.content)
  },
  true,
)
