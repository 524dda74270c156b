// A form on a tablet that people fill in one after the other, as on an open day: nothing of one person is left for the next,
// and what cannot be sent yet waits in the browser while the next person begins.

const KIOSK_TIMEOUT = 8 * SECOND
const THANKS = 20 * SECOND
const IDLE = 180 * SECOND
const RETRY = 60 * SECOND
const OUTBOX = 'frontdesk-outbox:'

/** The empty form of each name, for when there is no connection. */
const empty = new Map()
let isLoaded = false

/** `put` shows another section in place of one. */
function createKiosk(form, section, put) {
  const { name, next: nextPerson, stored, waits } = form.dataset
  const isEmpty = !section.querySelector('.problems')
  if (isEmpty && !empty.has(name)) empty.set(name, { page: { title: document.title }, section: section.cloneNode(true) })
  const read = () => allowed(() => JSON.parse(localStorage.getItem(OUTBOX + name))) ?? []
  const write = entries => allowed(() => localStorage.setItem(OUTBOX + name, JSON.stringify(entries)))
  const update = (entry, changes) =>
    write(read().flatMap(one => (one.id !== entry.id ? [one] : changes ? [{ ...one, ...changes }] : [])))

  /** The empty form in place of a section. */
  const begin = old => {
    const { page, section } = empty.get(name)
    put(old, { page, section: section.cloneNode(true) })
  }

  /** What no one is there to correct: it is sent as it is. Without consent, if that would be to other words. */
  async function sendWaiting() {
    for (const entry of read().filter(({ isStuck }) => !isStuck)) {
      const body = new URLSearchParams(entry.body)
      const answer = await request(entry.url, body, KIOSK_TIMEOUT).catch(() => undefined)
      if (!answer || answer.status === 429) break
      const token = answer.section.querySelector('[name=token]')?.value
      if (answer.section.dataset.frontdesk === 'sent') update(entry)
      else if (token === body.get('token')) update(entry, { isStuck: true })
      else {
        body.set('token', token)
        body.delete('consent')
        update(entry, { body: `${body}` })
      }
    }
    say()
  }

  function say() {
    const count = read().length
    const status = document.querySelector('.frontdesk .status')
    if (status) status.textContent = count > 0 ? waits.replace('{count}', count) : ''
  }

  return {
    begin,

    /** A browser that keeps nothing must not lose it: then the person tries again. */
    keep(body) {
      body.set('waited', 'yes')
      write([...read(), { id: `${Date.now()}${Math.random()}`, url: form.action, body: `${body}` }])
      if (!read().some(one => one.body === `${body}`)) return (form.querySelector('.status').textContent = form.dataset.waiting)
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
      const stuck = location.hash === '#waiting' && read().find(({ isStuck }) => isStuck)
      if (stuck && isEmpty) {
        const { token: _, waited: __, answer: ___, ...typed } = Object.fromEntries(new URLSearchParams(stuck.body))
        fillIn(form, Object.entries(typed))
        form.addEventListener('submit', () => update(stuck))
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
