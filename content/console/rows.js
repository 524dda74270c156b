// Buttons that only change the rows of an editor do so in place: scroll, unfolded parts, the preview and what was typed
// stay. Without a script, or where this fails, they load the page again.
import { sendAnew } from './in-place.js'
import { say, showNotice, showSignedOut } from './live.js'

document.addEventListener('submit', async event => {
  const { target: form, submitter } = event
  if (event.defaultPrevented || submitter?.dataset.says === undefined) return
  event.preventDefault()
  const body = new URLSearchParams(new FormData(form, submitter))
  // Nothing is typed that the answer would be without.
  for (const part of partsOf(form)) part.inert = true
  const response = await fetch(form.getAttribute('action'), { method: 'POST', body }).catch(() => undefined)
  for (const part of partsOf(form)) part.inert = false
  delete form.dataset.sent
  delete form.dataset.checked
  if (response === undefined || response.status === 503) {
    submitter.focus()
    return showNotice('unsaved', '<strong>Nothing has changed:</strong> the service cannot be reached. Press the button again in a moment.')
  }
  document.querySelector('[data-notice="unsaved"]')?.remove()
  if (response.redirected) return showSignedOut()
  const answer = new DOMParser().parseFromString(await response.text(), 'text/html')
  const wanted = answer.querySelector(`form[action="${form.getAttribute('action')}"]`)
  if (!response.ok || !wanted) return sendAnew(form, submitter)
  replace(form, wanted)
  form.dispatchEvent(new Event('answered', { bubbles: true }))
  // The preview follows.
  form.dispatchEvent(new Event('input'))
  goOn(form, submitter)
  say(submitter.dataset.says)
})

const partsOf = form => [...form.children].filter(one => !one.matches('.preview, [data-kept]'))

function replace(form, wanted) {
  const titleOf = part => part.querySelector('summary').textContent
  const wasOpen = new Map([...form.querySelectorAll('details')].map(part => [titleOf(part), part.open]))
  for (const part of wanted.querySelectorAll('details')) part.open = wasOpen.get(titleOf(part)) ?? part.open
  const next = form.querySelector(':scope > .preview')
  for (const part of partsOf(form)) part.remove()
  for (const part of partsOf(wanted)) form.insertBefore(part, next)
  // What it said of the form as it was sent before.
  document.querySelector('main > .banner[role="alert"]:not([data-notice])')?.remove()
}

/** A person at the keyboard goes on at the row, or presses the same button again. */
function goOn(form, submitter) {
  const { value, formAction } = submitter
  const [what] = value.split(':')
  // A row in which nothing was typed may be left out.
  const row = form.querySelector(new URL(formAction).hash) ?? form.querySelector(`button[value="${value}"]`)?.parentElement
  const again = what.endsWith('up') ? row?.querySelector(`button[value^="${what}:"]`) : null
  const place = again ?? row?.querySelector('input:not([type="hidden"]), select, textarea, button')
  place?.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
}
