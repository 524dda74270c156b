// The page of a lead: its keys, and what others have just done to it. Everything works without it, too.
import { onKeys, showKeys } from './keys.js'
import { part } from './live.js'

const at = selector => part.querySelector(selector)

/** Shows what stands in a menu, and goes there. */
function goTo(place) {
  const menu = place?.closest('details')
  if (menu) menu.open = true
  place?.focus()
}
const press = key => {
  const button = at(`[data-key="${key}"]`)
  goTo(button)
  button?.click()
}

onKeys({
  c: () => press('c'),
  x: () => press('x'),
  w: () => press('w'),
  n: () => goTo(at('[data-key="n"]')),
  a: () => goTo(at('[data-key="a"]')),
  s: () => goTo(at('[data-key="s"]')),
  z: () => (document.querySelector('[data-flash] form') ?? at('[data-key="z"]')?.form)?.requestSubmit(),
  '?': showKeys,
})

// What others did stays in sight until the person has seen it, or goes on.
const news = document.querySelector('[data-news]')
const clear = () => news.replaceChildren()
news.addEventListener('click', event => event.target.closest('button') && clear())
part.addEventListener('before-action', clear)
