// Lists of leads: live updates, selecting, and the keyboard. Everything works without it, too.

const list = document.querySelector('[data-list]')
const shortcuts = document.querySelector('[data-shortcuts="on"]') !== null
const rows = () => [...document.querySelectorAll('[data-lead]')]
const boxes = () => [...document.querySelectorAll('.pick input')]
const chosen = () => boxes().filter(box => box.checked)

// The bar for many leads or inquiries is there while some are selected.
function showChosen() {
  const bar = document.querySelector('[data-bulk-bar]')
  if (bar === null) return
  const count = chosen().length
  bar.hidden = count === 0
  bar.querySelector('[data-bulk-count]').textContent = `${count} selected`
}
document.addEventListener('change', event => event.target.closest('.pick') && showChosen())
// The browser may bring back earlier ticks.
addEventListener('pageshow', showChosen)
showChosen()

// A URL says only what is filtered.
document.querySelector('.search')?.addEventListener('submit', event => {
  for (const field of event.target.elements) if (field.name && field.value === '') field.disabled = true
})
addEventListener('pageshow', () => {
  for (const field of document.querySelectorAll('.search [disabled]')) field.disabled = false
})

// How far an import is; when it has ended, the page shows what became of it.
const progress = document.querySelector('[data-progress]')
async function follow() {
  const response = await fetch(location.href, { headers: { 'x-part': 'progress' } }).catch(() => undefined)
  if (response?.redirected) showSignedOut()
  const text = response?.ok && !response.redirected ? await response.text() : undefined
  if (text === '') return location.reload()
  if (text !== undefined) progress.innerHTML = text
  setTimeout(follow, 1000)
}
if (progress) setTimeout(follow, 1000)

// The lead that the keyboard is at.
let current
function goTo(row) {
  for (const other of rows()) other.classList.toggle('on', other === row)
  current = row?.dataset.lead
  row?.querySelector('.lead-link').focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
}
document.addEventListener('focusin', event => {
  const row = event.target.closest?.('[data-lead]')
  if (row === null || row === undefined) return
  for (const other of rows()) other.classList.toggle('on', other === row)
  current = row.dataset.lead
})
// Where there is an order, the keys begin with its first lead; a phone has no keys.
const goToStart = () => {
  if (document.querySelector('[data-start]') && matchMedia('(hover: hover)').matches && !currentRow()) goTo(rows()[0])
}
const currentRow = () => rows().find(row => row.dataset.lead === current)

// New leads appear by themselves: the server says when leads have changed, then the page reads its list again. Returns
// false if someone began to do something meanwhile that a new list would interrupt.
async function refresh() {
  const response = await fetch(location.href, { headers: { 'x-part': 'list' } })
  // To the page for signing in.
  if (response.redirected) return showSignedOut()
  if (!response.ok) return
  const part = document.createElement('template')
  part.innerHTML = await response.text()
  if (busy()) return false
  const known = new Set(rows().map(row => row.dataset.lead))
  const focused = list.contains(document.activeElement) ? document.activeElement : undefined
  const place = rows().indexOf(focused?.closest('[data-lead]'))
  list.dispatchEvent(new Event('before-refresh'))
  // What the list says elsewhere on the page.
  for (const other of part.content.querySelectorAll('template[data-for]')) {
    const target = document.querySelector(`[data-${other.dataset.for}]`)
    if (target) become(target, other.content, { attributes: false })
    other.remove()
  }
  become(list, part.content, { attributes: false })
  const fresh = rows().filter(row => !known.has(row.dataset.lead))
  for (const row of fresh) row.classList.add('fresh')
  currentRow()?.classList.add('on')
  if (focused?.isConnected) focused.focus({ preventScroll: true })
  else if (focused) (rows()[place] ?? rows().at(-1))?.querySelector('.lead-link').focus({ preventScroll: true })
  showChosen()
  list.dispatchEvent(new Event('refreshed'))
  sayNews(fresh.length)
}

// Changes a part of the page to what the server has sent, and leaves alone what is the same: the person who reads or
// uses it keeps their place, and nothing is read out again.
function become(part, wanted, { attributes = true } = {}) {
  // It is as the person has left it.
  if (part.matches?.('[data-bulk-bar]')) return
  if (attributes) {
    for (const { name } of [...part.attributes]) if (!wanted.hasAttribute(name)) part.removeAttribute(name)
    for (const { name, value } of wanted.attributes) if (part.getAttribute(name) !== value) part.setAttribute(name, value)
  }
  const keys = new Set([...wanted.children].map(keyOf))
  for (const child of [...part.children]) if (keyOf(child) && !keys.has(keyOf(child))) child.remove()
  const keyed = new Map([...part.children].map(child => [keyOf(child), child]))
  let at = part.firstChild
  for (const child of [...wanted.childNodes]) {
    const key = keyOf(child)
    const same = key ? keyed.get(key) : at?.nodeName === child.nodeName && !keyOf(at) ? at : undefined
    if (same === undefined) part.insertBefore(child, at)
    else {
      if (same !== at) part.insertBefore(same, at)
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
const keyOf = node => node.dataset?.lead ?? (node.id || undefined)

// Those who do not see the list hear how it has changed, but not more often than they can listen to.
const QUIET = 30_000
const summary = () => document.querySelector('[data-summary]')?.textContent
let news = 0
let said = { at: 0, summary: summary() }
function sayNews(count) {
  news += count
  const now = summary()
  if ((news === 0 && now === said.summary) || Date.now() - said.at < QUIET) return
  say(now ?? `${news} new ${news === 1 ? 'lead' : 'leads'}`)
  said = { at: Date.now(), summary: now }
  news = 0
}
const say = words => document.dispatchEvent(new CustomEvent('say', { detail: words }))

// How many people to call or answer now, beside the links to Today, and how many of them wrote back. Every page asks, and so learns when its session is over.
async function countToday() {
  const response = await fetch('/today/count')
  if (response.redirected) return showSignedOut()
  if (!response.ok) return
  signedOut()?.remove()
  const { now, wroteBack } = await response.json()
  showCount('[data-today]', now)
  showCount('[data-wrote-back]', wroteBack)
}

function showCount(places, number) {
  for (const count of document.querySelectorAll(places)) {
    count.hidden = number === '0'
    count.querySelector('[data-number]').textContent = number
  }
}

// What someone has typed or selected on this page would be lost if they left it.
let typed = false
document.addEventListener('input', event => {
  typed ||= event.target.form?.method === 'post'
})

// The service worker asks before it shows another page here.
navigator.serviceWorker?.addEventListener('message', ({ ports: [port] }) => port?.postMessage(!typed))

document.addEventListener('signed-out', showSignedOut)
const signedOut = () => document.querySelector('[data-signed-out]')

/** The session is over: what the page shows only gets older. Signing in again leads back to it. */
function showSignedOut() {
  if (signedOut()) return
  const banner = document.createElement('div')
  banner.className = 'banner'
  banner.dataset.signedOut = ''
  banner.setAttribute('role', 'alert')
  banner.innerHTML = '<p><strong>You are signed out.</strong> This page no longer changes by itself. <a>Sign in again</a></p>'
  const link = banner.querySelector('a')
  link.href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`
  link.addEventListener('click', () => {
    link.target = typed ? '_blank' : ''
  })
  document.querySelector('main').prepend(banner)
}

// Whether someone is doing something that a new list would interrupt.
const busy = () =>
  document.activeElement?.closest?.('[data-bulk-bar]') ||
  document.querySelector('dialog[open], [data-list] details[open], .dragging') ||
  [...document.querySelectorAll('[data-list] textarea')].some(field => field.value !== '')

// Every page of someone who is signed in.
if (document.querySelector('[data-today]')) {
  let missed = false
  const updateList = async () => {
    missed = Boolean(busy()) || (await refresh().catch(() => {})) === false
  }
  const update = () => {
    if (document.hidden) return
    const wasSignedOut = signedOut() !== null
    countToday()
      .then(() => wasSignedOut && !signedOut() && live.readyState === EventSource.CLOSED && connect())
      .catch(() => {})
    if (list && document.querySelector('[data-live]')) updateList()
  }
  let live
  // We missed what happened while the stream was cut.
  let cut = false
  const connect = () => {
    live = new EventSource('/live')
    live.addEventListener('leads', update)
    live.addEventListener('error', () => {
      cut = true
      // After a redirect, the browser does not connect again.
      if (live.readyState === EventSource.CLOSED) update()
    })
    live.addEventListener('open', () => {
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
  if (!document.hidden) connect()
  countToday().catch(() => {})
  document.addEventListener('focusout', () => setTimeout(() => missed && updateList()))
  // Waiting times grow, and some changes are made where this page cannot hear of them.
  setInterval(update, 60_000)
}

goToStart()

const keys = {
  j: () => goTo(rows()[rows().indexOf(currentRow()) + 1] ?? currentRow() ?? rows()[0]),
  k: () => goTo(rows()[rows().indexOf(currentRow()) - 1] ?? rows()[0]),
  e: () => currentRow()?.querySelector('input[name="lead"]')?.click(),
  c: () => currentRow()?.querySelector('[data-key="c"]')?.click(),
  x: () => currentRow()?.querySelector('[data-key="x"]')?.click(),
  a: () => {
    const box = currentRow()?.querySelector('input[name="lead"]')
    if (chosen().length === 0 && box) box.click()
    document.querySelector('[data-bulk-bar]:not([hidden]) select[name="assign"]')?.focus()
  },
  s: () => current && location.assign(`/leads/${current}#day`),
  n: () => current && location.assign(`/leads/${current}#note`),
  z: () => document.querySelector('[data-flash] form')?.requestSubmit(),
  '/': () => document.querySelector('[data-search]')?.focus(),
  '?': () => document.querySelector('[data-keys]')?.showModal(),
}

if (shortcuts) {
  document.addEventListener('keydown', event => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (key === 'Escape' && target.matches('[data-search]')) return target.blur()
    if (target.matches('input:not([type="checkbox"]), select, textarea') || target.closest('dialog')) return
    const act = keys[key]
    if (act === undefined) return
    event.preventDefault()
    act()
  })
}
