// The fields of a form: what is wrong with them, and how a phone number is written.

const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const namedFields = form => [...form.elements].filter(({ name }) => name)

/** Not what the server put there, nor consent, which a person gives at the moment of sending. */
const isTyped = field =>
  !/^(hidden|checkbox|submit|button)$/.test(field.type) && !field.closest('.trap, [hidden]')

/** Radio buttons are answered as one: by their question, which has their name as its id. */
const questionOf = field => (field.type === 'radio' ? field.closest('fieldset') : field)

/** Writes values into the fields of a form, and adds hidden ones for what it does not have. */
function fillIn(form, entries) {
  for (const [name, value] of entries) {
    const field = form.elements[name] ?? form.appendChild(make('input', { type: 'hidden', name }))
    if (field.type === 'checkbox') field.checked = true
    else field.value = value
  }
}

/** What the URL of this page says of the fields that the form lets it fill in. */
function fillInFromPage(form) {
  const allowed = (form.dataset.prefill ?? '').split(' ')
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (!allowed.includes(name)) continue
    const box = boxesOf(form, name).find(one => one.value === value)
    if (box) box.checked = true
    else if (form.elements[name]) fillIn(form, [[name, value]])
  }
}

/** Those of a question that has several answers. */
const boxesOf = (form, name) => namedFields(form).filter(one => one.name.startsWith(`${name}-`))

/** Shows the questions that follow from an answer, and hides those that do not, as the server does with what is sent. */
function showWhatFollows(form) {
  fillIn(form, form.elements.askedThen ? [['askedThen', 'each']] : [])
  for (const question of form.querySelectorAll('[data-if]')) {
    const { if: name, is } = question.dataset
    const before = [...namedFields(form).filter(one => one.name === name), ...boxesOf(form, name)]
    const given = before.filter(one => !one.closest('[hidden]') && (one.checked || !/checkbox|radio/.test(one.type)))
    question.hidden = !given.some(one => one.value === is)
  }
}

/** An extension at the end of a phone number, as the server reads it. */
const EXTENSION = /[^\d\s().+/-]\D{0,12}\d{1,8}$/

/** The sentence that the server wrote for what is wrong with a field; '' if nothing is. */
function problemOf(field) {
  const { dataset } = field
  const text = (field.value ?? field.querySelector(':checked')?.value ?? '').trim().normalize()
  if (text === '') return dataset.empty ?? ''
  const length = [...text].length
  const digits = text.replace(/\D/g, '').length
  const [fewest, most] = (dataset.digits ?? '0 99').split(' ')
  const sentence =
    (digits > most && EXTENSION.test(text) && dataset.extension) ||
    (length < dataset.min && dataset.short) ||
    (length > dataset.max && dataset.long) ||
    (digits < fewest && dataset.few) ||
    (digits > most && dataset.many) ||
    (dataset.pattern && !new RegExp(dataset.pattern, 'u').test(text) && dataset.wrong) ||
    ''
  return sentence.replace('{has}', dataset.digits ? digits : length)
}

/** Shows what is wrong with a field beside it, and returns it. */
function check(field) {
  const problem = problemOf(field)
  const id = `${field.id}-problem`
  const shown = field.form.querySelector(`[id="${id}"]`)
  const described = (field.getAttribute('aria-describedby') ?? '').split(' ')
  const others = described.filter(one => one && one !== id)
  if (problem && shown) shown.textContent = problem
  else if (problem) {
    const line = make('p', { id, className: 'problem' }, problem)
    line.part = 'error'
    if (field.matches('fieldset')) field.querySelector('legend').after(line)
    else field.before(line)
  } else shown?.remove()
  if (!field.matches('fieldset')) setOrRemove(field, 'aria-invalid', problem && 'true')
  setOrRemove(field, 'aria-describedby', (problem ? [id, ...others] : others).join(' '))
  return problem
}

/**
 * The address that a person most likely meant; undefined if nothing is doubtful. As the server says, which wrote the lists
 * before this.
 */
function meantBy(email) {
  const [, person, after = ''] = /^([^@]+)@([^@]+)$/.exec(email) ?? []
  const domain = after.toLowerCase()
  if (REAL.includes(domain)) return undefined
  const plain = domain.replace(NOT_COM, '.com')
  const meant = COMMON.find(known => isTypoOf(plain, known)) ?? (plain === domain ? undefined : plain)
  return meant && `${person}@${meant}`
}

/** Whether a domain differs by one letter too many, missing or wrong, or by two in the wrong order. */
function isTypoOf(domain, known) {
  let same = 0
  while (same < known.length && known[same] === domain[same]) same++
  const [typed, meant] = [domain.slice(same), known.slice(same)]
  const swapped = `${typed.charAt(1)}${typed.charAt(0)}${typed.slice(2)}`
  return typed.slice(1) === meant || typed === meant.slice(1) || typed.slice(1) === meant.slice(1) || swapped === meant
}

/** Whether a number is one that people type when they would rather not say theirs. As the server says. */
const isDoubtfulPhone = phone => /^((\d)\2{9}|0123456789|1234567890)$/.test(phone.replace(/\D/g, '').slice(-10))

/**
 * Asks once about an address with a typo or a number that is most likely not theirs, and returns the question; '' if there
 * is nothing to ask. The server does not ask about it again.
 */
function askAbout(field) {
  const { form, dataset, name } = field
  const given = field.value.trim()
  const asked = `${name}Asked`
  const meant = name === 'phone' ? isDoubtfulPhone(given) && given : meantBy(given)
  if (!meant || !dataset.maybe || problemOf(field) || form.elements[asked]?.value === field.value) return ''
  fillIn(form, [[asked, field.value]])
  const question = dataset.maybe.replace(/{meant}|{given}/, meant)
  const note = make('div', { className: 'meant' }, make('p', {}, question))
  if (dataset.use) {
    const use = make('button', { type: 'button', className: 'quiet' }, dataset.use.replace('{meant}', meant))
    use.addEventListener('click', () => {
      field.value = meant
      field.dispatchEvent(new Event('input', { bubbles: true }))
      field.focus()
    })
    note.append(use)
  }
  field.addEventListener('input', () => note.remove(), { once: true })
  field.after(note)
  return question
}

/** How many more characters a long text may have, said from the last two hundred on; '' before. */
function leftOf({ type, value, dataset }) {
  const left = dataset.max - [...value.trim().normalize()].length
  return type === 'textarea' && left >= 0 && left <= 200 ? dataset.left.replace('{left}', left) : ''
}

function countDown(field) {
  if (field.type !== 'textarea') return
  const sentence = leftOf(field)
  const next = field.nextElementSibling ?? field.parentElement.appendChild(make('p', { className: 'hint left' }))
  next.textContent = sentence
}

const setOrRemove = (element, name, value) =>
  value ? element.setAttribute(name, value) : element.removeAttribute(name)

/** Checks every field. If something is wrong, a summary takes the focus, as in the server's page. */
function checkAll(form) {
  const questions = new Set(namedFields(form).filter(field => field.id && isTyped(field)).map(questionOf))
  const problems = [...questions]
    .map(field => [field.id, check(field)])
    .filter(([, problem]) => problem)
  form.parentElement.querySelector('.problems')?.remove()
  if (problems.length === 0) return true
  const links = problems.map(([id, problem]) =>
    make('li', {}, make('a', { href: `#${id}` }, problem)),
  )
  const title = make('h2', {}, form.dataset.problems)
  const summary = make('div', { className: 'problems', role: 'alert', tabIndex: -1 }, title, make('ul', {}, ...links))
  summary.part = 'summary'
  form.prepend(summary)
  summary.focus()
  return false
}

/**
 * Writes a phone number of North America the way people write it there. Only ten digits at once, or a digit at the end of
 * what it wrote itself, change anything: it never moves the cursor, and leaves every other way of writing alone.
 */
function formatPhone(field, { inputType, data }) {
  // All at once: a browser has filled it in, or the person has pasted it.
  const isWhole = data?.length !== 1 && !/^(delete|history)/.test(inputType)
  if (isWhole && /^\d{10}$/.test(field.value)) field.value = asPhone(field.value)
  if (inputType !== 'insertText' || !/^\d$/.test(data)) return
  const before = field.value.slice(0, -1)
  const isOurs = before === asPhone(before.replace(/\D/g, ''))
  if (isOurs && field.selectionEnd === field.value.length) {
    field.value = asPhone(field.value.replace(/\D/g, ''))
  }
}

function asPhone(digits) {
  if (/^[01]/.test(digits) || digits.length < 4 || digits.length > 10) return digits
  const [area, exchange, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
  return `(${area}) ${exchange}${line && `-${line}`}`
}
