// A form: it checks what is typed, keeps it for its tab, and sends it until the server answers.

const SECOND = 1000
const SAVED = 'frontdesk:'

/** Browsers may not let us keep anything. */
const allowed = use => {
  try {
    return use()
  } catch {}
}

/**
 * What was typed into a form of the school, by its name, until its tab is closed: the next person on the same computer must
 * not find what the last one left.
 */
const drafts = {
  read: name => allowed(() => JSON.parse(sessionStorage.getItem(SAVED + name))),
  write: (name, entries) => allowed(() => sessionStorage.setItem(SAVED + name, JSON.stringify(entries))),
  remove: name => allowed(() => sessionStorage.removeItem(SAVED + name)),
}

/**
 * The section of the server's page that is the form, or says that it was sent. Rejects if there was no
 * answer, and the same should be sent again. A document runs nothing, and needs no policy for Trusted Types.
 */
const request = (url, body, timeout = 30 * SECOND) =>
  new Promise((resolve, reject) => {
    const exchange = new XMLHttpRequest()
    exchange.open(body ? 'POST' : 'GET', url)
    exchange.responseType = 'document'
    exchange.timeout = timeout
    exchange.onloadend = () => {
      const page = exchange.response
      const section = page?.querySelector('[data-frontdesk]')
      const { status } = exchange
      if (section && status < 500) resolve({ page, section, status })
      else reject(Object.assign(new Error(`no form from ${url}`), { status }))
    }
    exchange.send(body)
  })

/**
 * Improves the form in `place`, a page or a shadow root. Its events come from the element `host`; `around`
 * returns the fields that say where it is.
 */
function improve(place, host, around) {
  const section = place.querySelector('[data-frontdesk]')
  if (section?.dataset.frontdesk === 'sent') return listenForTime(section)
  const form = section?.querySelector('form')
  if (!form) return
  const { kind, name } = form.dataset
  const kiosk = 'kiosk' in form.dataset ? createKiosk(form, section, put) : undefined
  const status = form.querySelector('.status')
  const button = form.querySelector('button')
  const label = button.textContent
  const announcer = form.appendChild(make('p', { className: 'unseen', role: 'status' }))
  const changed = new Set()
  const title = document.title.replace(`${form.dataset.error}: `, '')
  const isRest = form.elements.step?.value === 'rest'
  const key = outbox.newKey(name)
  const late = make('p', { className: 'kept', role: 'status' }, form.dataset.late)
  let isSending = false

  function save() {
    if (kiosk) return
    const typed = new Set(namedFields(form).filter(isTyped).map(one => one.name))
    const entries = [...new FormData(form)].filter(([field, value]) => value && typed.has(field))
    if (isSending) outbox.write({ key, url: form.action, body: `${bodyOf(form, true)}` })
    if (entries.length > 0 && !isSending) drafts.write(name, entries)
    else drafts.remove(name)
  }

  function restoreDraft(entries) {
    const missing = entries.filter(([field]) => form.elements[field]?.value === '')
    if (missing.length === 0) return
    fillIn(form, missing)
    showWhatFollows(form)
    const clear = make('button', { type: 'button', className: 'quiet' }, form.dataset.clear)
    const note = make('p', { className: 'kept' }, `${form.dataset.draft} `, clear)
    clear.addEventListener('click', () => {
      form.reset()
      showWhatFollows(form)
      drafts.remove(name)
      note.remove()
      namedFields(form).find(isTyped).focus()
    })
    form.prepend(note)
  }

  /**
   * The same words with the same token count once, so they may be sent again. What has `waited` is accepted as it is: the
   * person may be gone, so no one would answer a question about it.
   */
  async function send(waited) {
    isSending = true
    for (let pause = 2 * SECOND; ; pause = Math.min(2 * pause, 60 * SECOND)) {
      save()
      button.setAttribute('aria-disabled', 'true')
      button.textContent = form.dataset.sending
      const slow = setTimeout(() => {
        status.textContent = form.dataset.slow
      }, 5 * SECOND)
      const body = bodyOf(form, waited)
      const answer = await request(form.action, body, kiosk ? KIOSK_TIMEOUT : undefined).catch(() => undefined)
      clearTimeout(slow)
      button.removeAttribute('aria-disabled')
      button.textContent = label
      if (kiosk && (answer?.status ?? 429) === 429) return kiosk.keep(key)
      if (answer) return show(answer)
      waited = true
      status.textContent = form.dataset.waiting
      // Below the button, where the window of a phone ends.
      status.scrollIntoView({ block: 'nearest' })
      await networkOr(pause)
    }
  }

  /** Another person may have left what waits, so this page only says that it has been sent. */
  async function sendWaiting(pause = 2 * SECOND) {
    const waiting = outbox.read(name).filter(one => one.key !== key && !one.isStuck)
    for (const one of waiting) {
      const hasArrived = await sendLate(one)
      if (hasArrived === undefined) break
      if (hasArrived) form.prepend(late)
    }
    if (waiting.length === 0 || !section.isConnected) return
    await networkOr(pause)
    sendWaiting(Math.min(2 * pause, 60 * SECOND))
  }

  /** Until the connection is back, the person presses the button again, or this time has passed. */
  const networkOr = pause =>
    new Promise(resolve => {
      const over = new AbortController()
      const goOn = () => {
        over.abort()
        resolve()
      }
      addEventListener('online', goOn, over)
      form.addEventListener('submit', goOn, over)
      setTimeout(goOn, pause)
    })

  function show({ page, section: answer }) {
    const isSent = answer.dataset.frontdesk === 'sent'
    isSending = false
    status.textContent = ''
    const hasArrived = 'arrived' in answer.dataset
    drafts.remove(name)
    outbox.remove(key)
    if (!isSent && !hasArrived) save()
    // What completes an inquiry is not another one.
    if (hasArrived || (isSent && !isRest)) tell(host, 'sent', { kind })
    const { location: next } = answer.dataset
    if (next && parent === window) return open(next, '_self')
    put(section, { page, section: answer })
    // The page around may not allow this: then the section says that the form was sent, and has a link.
    if (next) open(next, '_top')
  }

  function put(old, { page, section: next }) {
    if (host === document.body && page.title) document.title = page.title
    old.replaceWith(document.adoptNode(next))
    improve(place, host, around)
    kiosk?.waitForNext(next)
    const first = next.querySelector('.problems') ?? next.querySelector('[tabindex]')
    first?.focus()
    const again = next.querySelector('[data-again]')
    again?.addEventListener('click', event => {
      event.preventDefault()
      const form = request(again.dataset.again)
      form.then(fresh => put(next, fresh)).catch(() => (kiosk ? kiosk.begin(next) : open(again.href, '_self')))
    })
  }

  // How many of those who see a form begin it: a count, without anything about who it was.
  const begun = form.action.replace('/forms/', '/forms/begun/').replace(/[?].*/s, isRest ? '?rest=' : '')
  if (!form.querySelector('.problems')) form.addEventListener('input', () => navigator.sendBeacon?.(begun), { once: true })
  form.addEventListener('input', event => {
    const { target } = event
    changed.add(target)
    showWhatFollows(form)
    if (target.dataset.format === 'phone') formatPhone(target, event)
    // A sentence disappears as soon as the field is right, and appears only when the person leaves it.
    const question = questionOf(target)
    const isWrong = target.hasAttribute('aria-invalid') || question.matches('fieldset')
    if (isWrong && !problemOf(question)) check(question)
    countDown(target)
    save()
  })
  form.addEventListener('focusout', ({ target, relatedTarget: next }) => {
    if (!changed.has(target) || !isTyped(target)) return
    // A person who presses the button now has no time to answer: then the server asks.
    const asks = next?.form === form && isTyped(next) && ['email', 'phone'].includes(target.name) && askAbout(target)
    announcer.textContent = check(questionOf(target)) || asks || leftOf(target)
  })
  // In a shadow root, a link does not find its target by itself.
  section.addEventListener('click', event => {
    const link = event.target.closest('.problems a')
    if (!link) return
    event.preventDefault()
    const field = form.querySelector(`[id="${link.hash.slice(1)}"]`)
    const box = field?.matches('fieldset') ? field.querySelector('input') : field
    box?.focus()
  })
  form.addEventListener('submit', event => {
    event.preventDefault()
    if (isSending) return
    if (checkAll(form)) send()
    else if (host === document.body) document.title = `${form.dataset.error}: ${title}`
  })

  fillIn(form, around())
  if (host !== document.body && !section.querySelector('.problems')) fillInFromPage(form)
  showWhatFollows(form)
  if (kiosk) return kiosk.start()
  if (section.querySelector('.problems')) return
  restoreDraft(drafts.read(name) ?? [])
  sendWaiting()
}

/** One press on the page of thanks says which time is best. Where that fails, the browser sends it. */
function listenForTime(section) {
  section.querySelector('.times')?.addEventListener('submit', event => {
    const { target: form, submitter } = event
    event.preventDefault()
    const shown = request(form.action, bodyOf(form, false, submitter)).then(({ section: next }) => {
      section.replaceWith(document.adoptNode(next))
      next.querySelector('[tabindex]')?.focus()
    })
    shown.catch(() => form.submit())
  })
}

/** By an event of `host`, and to the page around an iframe by a message. */
function tell(host, what, detail) {
  const options = { bubbles: true, composed: true, detail }
  host.dispatchEvent(new CustomEvent(`frontdesk-${what}`, options))
  if (parent !== window) parent.postMessage({ frontdesk: what, ...detail }, '*')
}
