// Forms of the part that follows what happens are answered in place: the page stays, with what was typed elsewhere in it.
// Where that fails, a form is sent as without a script.
import { forget, here, part, refresh, show, showNotice } from './live.js'

// After an action, another lead may stand where the last one was, under the pointer and at the keys. Its buttons do nothing
// for this long, in milliseconds: a second press that was not meant for it must not end its follow-up.
const SETTLES = 1000
// The next page may be a new one, too.
const acted = () => JSON.parse(sessionStorage.getItem('acted') ?? '{"at":0}')
const leadOf = place => place?.closest('[data-lead]')?.dataset.lead
const isTooSoon = lead => lead !== undefined && lead !== acted().lead && Date.now() - acted().at < SETTLES

document.addEventListener('submit', async event => {
  const { target: form, submitter } = event
  if (event.defaultPrevented || form.getAttribute('method') !== 'post' || submitter?.formTarget) return
  if (!part?.contains(form) && !(part && form.closest('[data-flash]'))) return
  event.preventDefault()
  const lead = leadOf(submitter) ?? leadOf(form)
  if (isTooSoon(lead)) return isNotSent(form)
  part.dispatchEvent(new CustomEvent('before-action', { detail: { form } }))
  document.querySelector('[data-trouble]')?.replaceChildren()
  const sent = new FormData(form, submitter)
  const response = await send(form, sent)
  isNotSent(form)
  if (response === undefined || response.status === 503) return showUnsaved()
  document.querySelector('[data-notice="unsaved"]')?.remove()
  const to = response.headers.get('x-to')
  if (to === here()) {
    forget(form, sent)
    form.dispatchEvent(new Event('answered', { bubbles: true }))
    settle(lead)
    await refresh({ after: true }).catch(() => location.reload())
    settle(lead)
    focusAfter(submitter)
  } else if (to) {
    settle(lead)
    location.assign(to)
  } else if (response.headers.has('x-part')) {
    show(await response.text(), { interrupt: true })
    document.querySelector('[data-trouble] [role="alert"]')?.focus()
  } else sendAnew(form, submitter)
})

function isNotSent(form) {
  delete form.dataset.sent
  delete form.dataset.checked
}

function settle(lead) {
  // An undo, or an action on several, is about no place in the list.
  if (lead === undefined) return
  sessionStorage.setItem('acted', JSON.stringify({ lead, at: Date.now() }))
  showSettling()
}

/** Shows that the buttons of the others do nothing yet. */
function showSettling() {
  const rest = acted().at + SETTLES - Date.now()
  part?.toggleAttribute('data-settling', rest > 0)
  if (rest > 0) setTimeout(showSettling, rest)
}
showSettling()

const send = (form, values) =>
  fetch(form.getAttribute('action') ?? '', {
    method: 'POST',
    body: new URLSearchParams(values),
    headers: { 'x-part': part.dataset.live },
  }).catch(() => undefined)

const showUnsaved = () =>
  showNotice('unsaved', '<strong>It may not have been saved:</strong> the service cannot be reached. Press the button again in a moment.')

/** Leads to the page that says what is wrong. */
export function sendAnew(form, submitter) {
  if (submitter?.name) {
    const field = Object.assign(document.createElement('input'), { type: 'hidden', name: submitter.name, value: submitter.value })
    form.append(field)
  }
  form.submit()
}

/** A person at the keyboard goes on where they were; if that is gone, at what happened. */
function focusAfter(submitter) {
  const menu = submitter?.closest('details')
  if (menu) menu.open = false
  const places = [submitter, menu?.querySelector('summary'), document.querySelector('[data-flash]')]
  const isThere = place => place?.isConnected && place.checkVisibility()
  if (document.activeElement === document.body || !isThere(document.activeElement))
    places.find(isThere)?.focus({ preventScroll: true })
}
