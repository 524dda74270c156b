// What the console does with JavaScript on top of its plain pages.

// A message about what happened can be closed, and goes by itself once its undo is over.
const FLASH_SHOWN = 12000

function watchFlash(flash) {
  let left = setTimeout(() => flash.remove(), FLASH_SHOWN)
  // It stays while someone reads or reaches for it.
  for (const event of ['pointerenter', 'focusin']) flash.addEventListener(event, () => clearTimeout(left))
  for (const event of ['pointerleave', 'focusout']) {
    flash.addEventListener(event, () => {
      clearTimeout(left)
      left = setTimeout(() => flash.remove(), FLASH_SHOWN)
    })
  }
}
// Screen readers read out what changes in a page, not what it comes with.
function say(words) {
  const place = document.querySelector('[data-say]')
  if (place) place.textContent = words
}
document.addEventListener('say', event => say(event.detail))
function showFlash(flash) {
  watchFlash(flash)
  flash.removeAttribute('role')
  setTimeout(() => say(flash.querySelector('p').textContent), 500)
}
for (const flash of document.querySelectorAll('[data-flash]')) showFlash(flash)
// One that a script has put into the page.
document.addEventListener('flash', event => showFlash(event.target))

// In a low window, the menu scrolls: the page that is open stands in sight.
document.querySelector('.sidebar nav a[aria-current]')?.scrollIntoView({ block: 'nearest' })

// A form is sent once, however often its button is pressed.
document.addEventListener('submit', event => {
  const form = event.target
  if (form.getAttribute('method') !== 'post' || form.hasAttribute('hx-post') || event.submitter?.formTarget) return
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = 'yes'
})
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})

// What is too large is said before it is uploaded.
document.addEventListener('change', event => {
  const { dataset, files } = event.target
  if (!dataset.most) return
  const bytes = [...files].reduce((sum, { size }) => sum + size, 0)
  const megabytes = number => (number / 1e6).toFixed(1)
  const tooMuch = `These files have ${megabytes(bytes)} MB together, and the limit is ${megabytes(dataset.most)} MB. Choose less.`
  event.target.setCustomValidity(bytes > dataset.most ? tooMuch : '')
  event.target.reportValidity()
})

// A draft stands in the URL: it can be bookmarked, and a reload keeps it.
for (const form of document.querySelectorAll('form[data-draft]')) {
  form.addEventListener('change', () => {
    const draft = new URLSearchParams(new FormData(form))
    history.replaceState(history.state, '', `${form.dataset.draft}?${draft}`)
  })
}

// What a button shows in a frame comes into view.
document.addEventListener('submit', event => {
  const name = event.submitter?.formTarget
  if (name && !event.target.dataset.typing) document.querySelector(`iframe[name="${name}"]`)?.parentElement.scrollIntoView({ block: 'nearest' })
})

// Passkeys: the form gets what the browser has made or signed, then it is sent like any other.
if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined) {
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.hidden = false
    for (const note of document.querySelectorAll('[data-no-passkeys]')) note.hidden = true
    form.addEventListener('submit', async event => {
      if (form.elements.response.value !== '') return
      event.preventDefault()
      event.stopPropagation()
      const options = JSON.parse(form.dataset.options)
      const credential = await (form.dataset.passkey === 'create'
        ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
      ).catch(() => null)
      // The person has changed their mind, or the device has no passkey: the form is as it was.
      if (credential === null) return
      form.elements.response.value = JSON.stringify(credential.toJSON())
      form.requestSubmit()
    })
  }
}

// Notifications: the browser gives us the URL of its push service, which wakes it.
for (const form of document.querySelectorAll('form[data-push]')) {
  if (!('serviceWorker' in navigator) || globalThis.PushManager === undefined) break
  form.hidden = false
  document.querySelector('[data-no-push]').hidden = true
  form.addEventListener('submit', async event => {
    if (form.elements.endpoint.value !== '') return
    event.preventDefault()
    event.stopPropagation()
    const subscription = await subscribe(form.dataset.push).catch(() => undefined)
    const isBlocked = Notification.permission !== 'granted'
    form.querySelector('[data-push-denied]').hidden = subscription !== undefined || !isBlocked
    form.querySelector('[data-push-away]').hidden = subscription !== undefined || isBlocked
    if (subscription === undefined) return
    form.elements.endpoint.value = subscription.endpoint
    form.requestSubmit()
  })
}

async function subscribe(applicationServerKey) {
  await navigator.serviceWorker.register('/service-worker.js')
  const { pushManager } = await navigator.serviceWorker.ready
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
}

// What can stand in a text is inserted where the cursor is.
document.addEventListener('click', event => {
  const code = event.target.closest?.('[data-insert]')?.dataset.insert
  const field = code && document.querySelector('#text')
  if (!field) return
  field.focus()
  field.setRangeText(code, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
})

// Code is copied by a button, as on the public pages.
const addCopies = () => {
  for (const pre of document.querySelectorAll('figure.code :not(.copy) + pre')) addCopy(pre)
}
addCopies()
document.addEventListener('htmx:after:swap', addCopies)
function addCopy(pre) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'plain small copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy: ${pre.getAttribute('aria-label')}`)
  button.addEventListener('click', async () => {
    const copied = await copy(pre)
    button.textContent = copied ? 'Copied' : 'Selected'
    say(copied ? 'Copied' : 'Selected. Copy it with your keyboard or menu.')
    setTimeout(() => {
      button.textContent = 'Copy'
      say('')
    }, 2500)
  })
  pre.before(button)
}

// Browsers offer the clipboard only on secure pages, and people may deny access to it.
async function copy(pre) {
  try {
    await navigator.clipboard.writeText(pre.textContent)
    return true
  } catch {
    getSelection().selectAllChildren(pre)
    return document.execCommand('copy')
  }
}

// What is wrong in a folded part of a form comes in sight.
document.addEventListener(
  'invalid',
  event => {
    const part = event.target.closest('details')
    if (part) part.open = true
  },
  true,
)

// The URL of a new form follows its title until someone edits it. The server makes the same name (`form-editor.ts`).
const madeFrom = '[data-made-from]'
const nameFrom = (text, most) =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-/, '').slice(0, most).replace(/-$/, '')
for (const { form, value } of document.querySelectorAll(madeFrom)) {
  let made = value
  form.addEventListener('input', ({ target }) => {
    const field = form.querySelector(madeFrom)
    const title = form.elements[field.dataset.madeFrom]
    if (target !== title && target !== form) return
    const next = nameFrom(title.value, field.maxLength - 4)
    if (target === title && (field.value === '' || field.value === made)) field.value = next
    made = next
  })
}

// The preview of a step of the cadence is a page that its switches name.
document.addEventListener('change', ({ target }) => {
  const frame = target.closest('details.preview')?.querySelector('iframe')
  if (!frame || target.name.startsWith('preview-width')) return
  const url = new URL(frame.src)
  for (const { name, value } of target.closest('details').querySelectorAll(':checked')) url.searchParams.set(name.split('-')[1], value)
  frame.contentWindow.location.replace(url)
})

// A preview follows what is typed, after a pause: its button is only for browsers without this script.
for (const form of document.querySelectorAll('[data-live-preview]')) {
  form.querySelector('[data-preview]').hidden = true
  const show = () => {
    form.dataset.typing = 'yes'
    form.requestSubmit(form.querySelector('[data-preview]'))
    delete form.dataset.typing
  }
  let waiting
  form.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(show, 800)
  })
  show()

  // It follows the person: to the question, or to the page after sending, at which they are.
  let at
  const frame = form.querySelector('.preview iframe')
  const follow = () => {
    const page = frame.contentDocument
    const place = page?.getElementById(at)
    const part = place?.closest('.field') ?? place
    for (const one of page?.querySelectorAll('[data-at]') ?? []) one.removeAttribute('style')
    if (part) {
      part.dataset.at = ''
      Object.assign(part.style, { borderRadius: '2px', outline: '2px solid var(--accent)', outlineOffset: '0.625rem' })
    }
    if (part || at === 'top') frame.contentWindow.scrollBy({ top: (part?.getBoundingClientRect().top ?? -1e6) - 80 })
  }
  frame.addEventListener('load', follow)
  form.addEventListener('focusin', ({ target }) => {
    const part = target.closest('[data-shows]')?.dataset.shows
    const choice = form.elements['preview-page']
    if (!part || !choice || part === at) return
    at = part
    const wanted = part === 'sent' ? part : 'form'
    if (choice.value === wanted) return follow()
    choice.value = wanted
    show()
  })
}
