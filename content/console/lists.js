// Lists of leads: selecting, the keyboard, and one's place when they change. Everything works without it, too.
import './in-place.js'
import { onKeys, showKeys } from './keys.js'
import { ask, part, say, showSignedOut } from './live.js'
import './rows.js'

const list = part?.dataset.live === 'list' ? part : null
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

// On a phone, the views stand in one line, and the one that is shown may be further on.
const tabs = document.querySelector('[data-tabs]')
const shown = tabs?.querySelector('[aria-current]')
if (shown) tabs.scrollLeft = shown.offsetLeft - (tabs.clientWidth - shown.offsetWidth) / 2

// How far an import is; when it has ended, the page shows what became of it.
const progress = document.querySelector('[data-progress]')
async function follow() {
  const response = await ask(location.href, { 'x-part': 'progress' }).catch(() => undefined)
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
// Someone who comes back from a lead is at it again, or at the one that is in its place by now.
const remember = row => row && history.replaceState({ lead: row.dataset.lead, place: rows().indexOf(row) }, '')
document.addEventListener('click', event => {
  if (event.target.closest('.lead-link')) remember(event.target.closest('[data-lead]'))
})
function goBackTo({ lead, place }) {
  const row = rows().find(one => one.dataset.lead === lead) ?? rows()[place] ?? rows().at(-1)
  row?.querySelector('.lead-link').focus({ preventScroll: true })
}

// Where there is an order, the keys begin with its first lead; a phone has no keys.
const goToStart = () => {
  if (document.querySelector('[data-start]') && matchMedia('(hover: hover)').matches && !currentRow()) goTo(rows()[0])
}
const currentRow = () => rows().find(row => row.dataset.lead === current)

// When the list was read again, the person is where they were, or at the lead that is there now.
let before
list?.addEventListener('before-refresh', () => {
  const focused = list.contains(document.activeElement) ? document.activeElement : undefined
  const known = new Set(rows().map(row => row.dataset.lead))
  before = { known, focused, place: rows().indexOf(focused?.closest('[data-lead]')) }
})
list?.addEventListener('refreshed', () => {
  const { known, focused, place } = before
  const fresh = rows().filter(row => !known.has(row.dataset.lead))
  for (const row of fresh) row.classList.add('fresh')
  currentRow()?.classList.add('on')
  if (focused && !focused.isConnected)
    (rows()[place] ?? rows().at(-1))?.querySelector('.lead-link').focus({ preventScroll: true })
  showChosen()
  sayNews(fresh.length)
})

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
if (list && history.state?.lead) goBackTo(history.state)
goToStart()

function open(place) {
  if (!currentRow()) return
  remember(currentRow())
  location.assign(`/leads/${current}${place}`)
}

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
  s: () => open('#day'),
  n: () => open('#note'),
  z: () => document.querySelector('[data-flash] form')?.requestSubmit(),
  '/': () => document.querySelector('[data-search]')?.focus(),
  '?': showKeys,
}
if (list) onKeys(keys)
