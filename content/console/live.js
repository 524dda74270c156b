// Every page: whether it still hears of changes, and the part of it that is read again when there are any. Everything
// works without it, too.

/** The part that follows what happens; its value says what to ask the server for. */
export const part = document.querySelector('[data-live]')

document.addEventListener('signed-out', showSignedOut)

const { operator } = document.querySelector('[data-operator]')?.dataset ?? {}

/** Reads something for this page. If someone else is signed in by now, the answer is the one to a person who is signed out. */
export const ask = (url, headers = {}) => fetch(url, { headers: { ...headers, 'x-page-of': operator } })

export const say = words => document.dispatchEvent(new CustomEvent('say', { detail: words }))

/** The path of this page, as a link to it has it. */
export const here = () => location.pathname + location.search

// What someone has typed or chosen on this page. It stays when the part is read again, and would be lost if they left.
const typed = new Set()
document.addEventListener('input', ({ target }) => target.form?.method === 'post' && typed.add(target))
const hasTyped = () => [...typed].some(field => field.isConnected)

/** A form was handled: its fields are as the page has them, but for what someone has typed since these values were sent. */
export function forget(form, sent) {
  const lines = text => String(text ?? '').replaceAll('\r\n', '\n')
  const since = [...form.elements]
    .filter(field => typed.has(field) && field.matches('textarea, [type=text]') && field.value !== lines(sent.get(field.name)))
    .map(field => [field, field.value])
  for (const field of form.elements) typed.delete(field)
  form.reset()
  for (const [field, value] of since) {
    field.value = value
    typed.add(field)
  }
}

// The service worker asks before it shows another page here.
navigator.serviceWorker?.addEventListener('message', ({ ports: [port] }) => port?.postMessage(!hasTyped()))

/**
 * Reads the part again. With `after` an action of this page, it also gets what that said. Returns false if someone began
 * to do something meanwhile that this would interrupt.
 */
export async function refresh({ after = false } = {}) {
  const asked = { 'x-part': part.dataset.live, 'x-seen': part.querySelector('[data-version]')?.dataset.version ?? '' }
  const response = await ask(location.href, after ? { ...asked, 'x-after': 'action' } : asked)
  // To the page for signing in.
  if (response.redirected) return showSignedOut()
  const to = response.headers.get('x-to')
  if (to) return location.assign(to)
  if (response.status === 404) return showGone()
  if (!response.ok) return
  return show(await response.text(), { interrupt: after })
}

/** Shows the part as the server has it now. */
export function show(text, { interrupt }) {
  if (!interrupt && isBusy()) return false
  const wanted = document.createElement('template')
  wanted.innerHTML = text
  part.dispatchEvent(new Event('before-refresh'))
  // What the part says elsewhere on the page.
  for (const other of wanted.content.querySelectorAll('template[data-for]')) {
    if (other.dataset.for === 'flash') showFlash(other.content.firstElementChild)
    const target = document.querySelector(`[data-${other.dataset.for}]`)
    if (target && other.dataset.for !== 'flash') become(target, other.content, { attributes: false })
    other.remove()
  }
  const focused = part.contains(document.activeElement) ? document.activeElement : undefined
  become(part, wanted.content, { attributes: false })
  if (focused?.isConnected) focused.focus({ preventScroll: true })
  part.dispatchEvent(new Event('refreshed'))
}

function showFlash(flash) {
  document.querySelector('[data-flash]')?.remove()
  document.querySelector('main').prepend(flash)
  flash.dispatchEvent(new Event('flash', { bubbles: true }))
}

// Whether someone is doing something in a list that a new one would interrupt. Elsewhere, what they do stays as it is.
const isBusy = () =>
  part.dataset.live === 'list' &&
  (document.activeElement?.closest?.('[data-bulk-bar]') ||
    document.querySelector('dialog[open], [data-live] details[open], .dragging') ||
    [...part.querySelectorAll('textarea')].some(field => field.value !== ''))

// Changes an element to what the server has sent, and leaves alone what is the same: the person who reads or uses it
// keeps their place, and nothing is read out again.
function become(element, wanted, { attributes = true } = {}) {
  // It is as the person has left it.
  if (typed.has(element) || element.matches?.('[data-bulk-bar], [data-kept]')) return
  if (attributes) becomeInAttributes(element, wanted)
  const keys = new Set([...wanted.children].map(keyOf))
  for (const child of [...element.children]) if (keyOf(child) && !keys.has(keyOf(child))) child.remove()
  const keyed = new Map([...element.children].map(child => [keyOf(child), child]))
  let at = element.firstChild
  for (const child of [...wanted.childNodes]) {
    const key = keyOf(child)
    const same = key ? keyed.get(key) : at?.nodeName === child.nodeName && !keyOf(at) ? at : undefined
    if (same === undefined) element.insertBefore(child, at)
    else {
      if (same !== at) element.insertBefore(same, at)
      if (same.nodeType === Node.ELEMENT_NODE) become(same, child)
      else if (same.data !== child.data) same.data = child.data
      at = same.nextSibling
    }
  }
  while (at) {
    const next = at.nextSibling
    at.remove()
    at = next
  }
}
const keyOf = node =>
  node.dataset?.lead ?? node.dataset?.part ?? (node.localName === 'button' ? `${node.name}=${node.value}` : node.id || undefined)

function becomeInAttributes(element, wanted) {
  // Someone has opened a menu, or closed it.
  const isTheirs = name => name === 'open' && element.localName === 'details'
  for (const { name } of [...element.attributes])
    if (!wanted.hasAttribute(name) && !isTheirs(name)) element.removeAttribute(name)
  for (const { name, value } of wanted.attributes)
    if (element.getAttribute(name) !== value && !isTheirs(name)) element.setAttribute(name, value)
}

// How much waits on the pages of the menu, such as how many people to call now. Every page asks, and so learns when its
// session is over.
async function readCounts() {
  const response = await ask('/today/count')
  if (response.redirected) return showSignedOut()
  if (response.status >= 500) throw new Error('The service is away')
  if (!response.ok) return
  notice('signed-out')?.remove()
  const numbers = await response.json()
  for (const count of document.querySelectorAll('[data-count]')) {
    const number = numbers[count.dataset.count] ?? '0'
    count.hidden = number === '0'
    count.querySelector('[data-number]').textContent = number
  }
}

const notice = name => document.querySelector(`[data-notice="${name}"]`)

/** Shows that something is wrong with the page, whatever part of it is in sight. Returns the banner. */
export function showNotice(name, content) {
  const banner = notice(name) ?? document.createElement('div')
  banner.className = 'banner'
  banner.dataset.notice = name
  banner.setAttribute('role', 'alert')
  banner.innerHTML = `<p>${content}</p>`
  document.querySelector('main').prepend(banner)
  return banner
}

/** The session is over: what the page shows only gets older. Signing in again leads back to it. */
export function showSignedOut() {
  if (notice('signed-out')) return
  clearTimeout(lost)
  lost = undefined
  notice('lost')?.remove()
  const words = '<strong>You are signed out.</strong> This page no longer changes by itself. <a>Sign in again</a>'
  const link = showNotice('signed-out', words).querySelector('a')
  link.href = `/sign-in?next=${encodeURIComponent(here())}`
  link.addEventListener('click', () => {
    link.target = hasTyped() ? '_blank' : ''
  })
}

const showGone = () =>
  showNotice('gone', '<strong>This lead is gone.</strong> It was erased, or assigned to someone else.')

// Whether we hear of changes. A connection that is lost for a moment should worry no one.
const SHORT = 3000
const BACK_SHOWN = 6000
let lost
const connectionLost = () => {
  if (!notice('signed-out')) lost ??= setTimeout(() => {
    showNotice('lost', '<strong>The connection is lost.</strong> This page may be out of date. It tries again by itself.')
  }, SHORT)
}
function connectionBack() {
  clearTimeout(lost)
  lost = undefined
  const banner = notice('lost')
  if (!banner) return
  banner.remove()
  notice('unsaved')?.remove()
  const back = showNotice('back', 'The connection is back, and this page is up to date.')
  setTimeout(() => back.remove(), BACK_SHOWN)
}

// The server says at least this often that it is still there, and a browser may take some time to pass it on.
const SILENCE = 20_000

// Every page of someone who is signed in.
if (document.querySelector('[data-count]')) {
  let missed = false
  const readPart = async () => {
    missed = (await refresh()) === false
  }
  const update = async () => {
    if (document.hidden) return
    const wasSignedOut = notice('signed-out') !== null
    try {
      await Promise.all([readCounts(), part && readPart()])
      if (live.readyState === EventSource.OPEN) connectionBack()
      else if (live.readyState === EventSource.CLOSED && (wasSignedOut ? !notice('signed-out') : lost)) connect()
    } catch {
      connectionLost()
    }
  }
  let live
  let heard = 0
  // We missed what happened while the stream was cut.
  let cut = false
  const hear = () => {
    heard = Date.now()
  }
  const connect = () => {
    live?.close()
    live = new EventSource('/live')
    hear()
    live.addEventListener('leads', update)
    live.addEventListener('leads', hear)
    live.addEventListener('here', hear)
    live.addEventListener('error', () => {
      cut = true
      // After a redirect or a failure, the browser does not connect again.
      if (live.readyState === EventSource.CLOSED) update()
      else connectionLost()
    })
    live.addEventListener('open', () => {
      hear()
      if (cut) update()
      cut = false
    })
  }
  // A browser has few connections to one host, so a page that no one sees gives its own back.
  const follow = () => {
    if (!document.hidden) return connect()
    live?.close()
    cut = true
  }
  document.addEventListener('visibilitychange', follow)
  addEventListener('pageshow', ({ persisted }) => persisted && follow())
  if (!document.hidden) connect()
  readCounts().catch(() => {})
  document.addEventListener('focusout', () => setTimeout(() => missed && readPart().catch(() => {})))
  // Waiting times grow, and some changes are made where this page cannot hear of them.
  setInterval(update, 60_000)
  addEventListener('offline', connectionLost)
  addEventListener('online', update)
  setInterval(() => {
    if (document.hidden) return
    if (live.readyState === EventSource.OPEN && Date.now() - heard > SILENCE) {
      cut = true
      connectionLost()
      connect()
    } else if (lost !== undefined) update()
  }, 4000)
}
