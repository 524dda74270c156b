// A form on a tablet that people fill in one after the other, as on an open day: nothing of one person is left for the next,
// and what cannot be sent yet waits in the browser while the next person begins.

const KIOSK_TIMEOUT = 8 * SECOND
const THANKS = 20 * SECOND
const IDLE = 180 * SECOND
const RETRY = 60 * SECOND

/** The empty form of each name, for when there is no connection. */
const empty = new Map()
let isLoaded = false

/** `put` shows another section in place of one. */
function createKiosk(form, section, put) {
  const { name, next: nextPerson, stored, waits } = form.dataset
  const isEmpty = !section.querySelector('.problems')
  if (isEmpty && !empty.has(name)) empty.set(name, { page: { title: document.title }, section: section.cloneNode(true) })
  /** The empty form in place of a section. */
  const begin = old => {
    const { page, section } = empty.get(name)
    put(old, { page, section: section.cloneNode(true) })
  }

  async function sendWaiting() {
    for (const one of outbox.read(name).filter(({ isStuck }) => !isStuck)) {
      if ((await sendLate(one)) === undefined) break
    }
    say()
  }

  function say() {
    const count = outbox.read(name).length
    const status = document.querySelector('.frontdesk .status')
    if (status) status.textContent = count > 0 ? waits.replace('{count}', count) : ''
  }

  return {
    begin,

    /** A browser that keeps nothing must not lose it: then the person tries again. */
    keep(key) {
      const isKept = outbox.write({ key, url: form.action, body: `${bodyOf(form, true)}`, stays: true })
      if (!isKept) return (form.querySelector('.status').textContent = form.dataset.waiting)
      begin(section)
      const note = make('p', { className: 'kept', role: 'status', tabIndex: -1 }, stored)
      document.querySelector('.frontdesk form').prepend(note)
      note.focus()
      addEventListener('input', () => note.remove(), { once: true })
    },

    waitForNext(shown) {
      if (shown.dataset.frontdesk !== 'sent') return
      const again = shown.querySelector('[data-again]')
      if (again) again.textContent = nextPerson
      untilIdle(THANKS, shown, () => (again ? again.click() : begin(shown)))
    },

    start() {
      say()
      const stuck = location.hash === '#waiting' && outbox.read(name).find(({ isStuck }) => isStuck)
      if (stuck && isEmpty) {
        const { token: _, waited: __, answer: ___, ...typed } = Object.fromEntries(new URLSearchParams(stuck.body))
        fillIn(form, Object.entries(typed))
        form.addEventListener('submit', () => outbox.remove(stuck.key))
      }
      const typed = new AbortController()
      const leave = () => untilIdle(IDLE, section, () => begin(section))
      form.addEventListener('input', leave, { once: true })
      if (!isEmpty) leave()
      const tick = () => (section.isConnected ? sendWaiting() : typed.abort())
      addEventListener('online', tick, typed)
      const timer = setInterval(tick, RETRY)
      typed.signal.addEventListener('abort', () => clearInterval(timer))
      // What has just been turned away is not sent again at once.
      if (!isLoaded) sendWaiting()
      isLoaded = true
    },
  }
}

/** Once no one has touched the page for this long, while the section is still there. */
function untilIdle(time, section, then) {
  const over = new AbortController()
  let timer
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      over.abort()
      if (section.isConnected) then()
    }, time)
  }
  for (const event of ['input', 'keydown', 'pointerdown', 'scroll']) addEventListener(event, wait, over)
  wait()
}
