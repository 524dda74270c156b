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

// New leads appear by themselves: the server says when leads have changed, then the page reads its list again.
async function refresh() {
  const url = new URL(location.href)
  const response = await fetch(url, { headers: { 'x-part': 'list' } })
  // To the page for signing in.
  if (response.redirected) return showSignedOut(response.url)
  if (!response.ok) return
  const kept = new Set(chosen().map(box => box.value))
  const known = new Set(rows().map(row => row.dataset.lead))
  const focused = document.activeElement?.closest?.('[data-lead]') !== null
  list.dispatchEvent(new Event('before-refresh'))
  list.innerHTML = await response.text()
  for (const box of boxes()) box.checked = kept.has(box.value)
  for (const row of rows()) row.classList.toggle('fresh', !known.has(row.dataset.lead))
  const row = currentRow()
  if (row) row.classList.add('on')
  if (row && focused) row.querySelector('.lead-link').focus({ preventScroll: true })
  showChosen()
  goToStart()
  list.dispatchEvent(new Event('refreshed'))
}

/** The session is over: what the list shows only gets older. */
function showSignedOut(url) {
  if (document.querySelector('[data-signed-out]')) return
  const banner = document.createElement('div')
  banner.className = 'banner'
  banner.dataset.signedOut = ''
  banner.setAttribute('role', 'alert')
  banner.innerHTML = '<p><strong>You are signed out.</strong> This page no longer changes by itself. <a>Sign in again</a></p>'
  banner.querySelector('a').href = url
  list.before(banner)
}

/** Whether someone is doing something that a new list would interrupt. */
const busy = () =>
  document.activeElement?.closest?.('[data-bulk-bar]') ||
  document.querySelector('dialog[open], [data-list] details[open], .dragging')

if (list && document.querySelector('[data-live]')) {
  let missed = false
  const update = () => {
    if (document.hidden || busy()) missed = true
    else {
      missed = false
      refresh().catch(() => {})
    }
  }
  const live = new EventSource('/live')
  live.addEventListener('leads', update)
  // We missed what happened while the stream was cut.
  let cut = false
  live.addEventListener('error', () => {
    cut = true
    // After a redirect, the browser does not connect again.
    if (live.readyState === EventSource.CLOSED) update()
  })
  live.addEventListener('open', () => {
    if (cut) update()
    cut = false
  })
  const catchUp = () => missed && update()
  document.addEventListener('visibilitychange', catchUp)
  document.addEventListener('focusout', () => setTimeout(catchUp))
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
  s: () => current && location.assign(`/leads/${current}#call-again`),
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
