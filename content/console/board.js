// The board: dragging cards, moving them by keyboard, and further cards in place. Everything works without it, too.
import { onKeys } from './keys.js'
import { ask, part as list } from './live.js'

const board = document.querySelector('[data-board]')
const cards = () => [...document.querySelectorAll('[data-lead]')]
const cardOf = id => cards().find(card => card.dataset.lead === id)
const columns = () => [...document.querySelectorAll('.column')]
const current = () => document.querySelector('[data-lead].on')
const show = card => {
  card?.querySelector('.lead-link').focus({ preventScroll: true })
  card?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

// New columns have only their first cards, from the top: load the further ones again, and scroll back.
const further = new Map()
let scrolled = []
const scrollers = () => [...document.querySelectorAll('.board, .board-cards')]
list.addEventListener('before-refresh', () => {
  scrolled = scrollers().map(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop])
})
list.addEventListener('refreshed', async () => {
  for (const [stage, pages] of further)
    for (let page = 0; page < pages; page++) await addCards(columnOf(stage))
  for (const [index, element] of scrollers().entries())
    [element.scrollLeft, element.scrollTop] = scrolled[index] ?? [0, 0]
  if (acted) show(cardOf(moved) ?? (neighbor && cardOf(neighbor.dataset.lead)))
})
const columnOf = stage => columns().find(column => column.dataset.drop === stage)

// Further cards stand below those that are there.
async function addCards(column) {
  const more = column?.querySelector('[data-more]')
  if (!more) return undefined
  const response = await ask(more.querySelector('a').href, { 'x-part': 'cards' })
  if (!response.ok || response.redirected) throw new Error('No further cards')
  const part = document.createElement('template')
  part.innerHTML = await response.text()
  const added = [...part.content.querySelectorAll('[data-lead]')].filter(card => !cardOf(card.dataset.lead))
  column.querySelector('[data-cards]').append(...added)
  const next = part.content.querySelector('[data-more]')
  if (next) more.replaceWith(next)
  else more.remove()
  return added[0]
}
list.addEventListener('click', async event => {
  const link = event.target.closest('[data-more] a')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const column = link.closest('.column')
  try {
    const first = await addCards(column)
    further.set(column.dataset.drop, (further.get(column.dataset.drop) ?? 0) + 1)
    show(first)
  } catch {
    location.assign(link.href)
  }
})

// After a move and after its undo, the keyboard is at the card, or at its neighbor if it is gone, until the person does
// something else: what is read in between may be from before the move.
let moved
let neighbor
let acted = false
list.addEventListener('before-action', ({ detail: { form } }) => {
  const card = form.closest('[data-lead]')
  moved = card?.dataset.lead ?? moved
  neighbor = card?.nextElementSibling ?? card?.previousElementSibling
  acted = true
})
for (const type of ['keydown', 'pointerdown', 'wheel'])
  document.addEventListener(type, () => (acted = false), { capture: true, passive: true })

function move(card, place) {
  const form = card?.querySelector('[data-move]')
  if (!form) return
  const select = form.elements.to
  select.value = place
  // The menu does not offer the stage that the lead is in.
  if (select.value !== '') form.requestSubmit()
}

// Dragging.
let dragged
const dropAt = event => (dragged ? event.target.closest?.('[data-drop]') : null)
board.addEventListener('dragstart', event => {
  dragged = event.target.closest?.('[data-lead]')
  if (!dragged) return
  event.dataTransfer.effectAllowed = 'move'
  event.dataTransfer.setData('text/plain', dragged.querySelector('.lead-link').href)
  // A browser gives up a drag whose page changes at once.
  setTimeout(() => board.classList.add('dragging'))
})
const markPlace = place => {
  for (const one of document.querySelectorAll('.over')) one.classList.toggle('over', one === place)
  place?.classList.add('over')
}
board.addEventListener('dragover', event => {
  const place = dropAt(event)
  if (place) event.preventDefault()
  markPlace(place)
})
board.addEventListener('drop', event => {
  const place = dropAt(event)
  if (!place) return
  event.preventDefault()
  move(dragged, place.dataset.drop)
})
board.addEventListener('dragend', () => {
  dragged = undefined
  board.classList.remove('dragging')
  markPlace(null)
})

// The keyboard: j and k are those of every list.
function beside(step) {
  const card = current() ?? cards()[0]
  const column = card?.closest('.column')
  if (!column) return
  const index = [...column.querySelectorAll('[data-lead]')].indexOf(card)
  let other = column
  do other = columns()[columns().indexOf(other) + step]
  while (other && other.querySelector('[data-lead]') === null)
  const there = [...(other?.querySelectorAll('[data-lead]') ?? [])]
  show(there[Math.min(index, there.length - 1)])
}
function moveBeside(step) {
  const column = current()?.closest('.column')
  const place = column && columns()[columns().indexOf(column) + step]
  if (place) move(current(), place.dataset.drop)
}
const keys = {
  h: () => beside(-1),
  l: () => beside(1),
  '<': () => moveBeside(-1),
  '>': () => moveBeside(1),
  m: () => {
    const menu = current()?.querySelector('.move')
    if (!menu) return
    menu.open = true
    menu.querySelector('select').focus()
  },
}
onKeys(keys)
board.addEventListener('keydown', event => {
  const menu = event.target.closest('.move')
  if (event.key !== 'Escape' || !menu) return
  menu.open = false
  show(menu.closest('[data-lead]'))
})
