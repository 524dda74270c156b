// Keys that act, for those who have not turned them off. They do nothing while someone types, and act once while they are
// held: only to move goes on.

const MOVES = ['j', 'k']

/** Calls the function of each key that is pressed. */
export function onKeys(keys) {
  if (document.querySelector('[data-shortcuts="on"]') === null) return
  document.addEventListener('keydown', event => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (key === 'Escape' && target.matches('[data-search]')) return target.blur()
    if (target.matches('input:not([type="checkbox"]), select, textarea') || target.closest('dialog')) return
    if (!Object.hasOwn(keys, key)) return
    event.preventDefault()
    if (!event.repeat || MOVES.includes(key)) keys[key]()
  })
}

export const showKeys = () => document.querySelector('[data-keys]')?.showModal()
