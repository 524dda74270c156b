// Shows what is new. The message that wakes this script is empty: what to show is fetched from the console.

const UNKNOWN = [{ title: 'Something is new', body: 'Open the console to see it.', url: '/', tag: 'unknown' }]

self.addEventListener('install', () => self.skipWaiting())

self.addEventListener('push', event => event.waitUntil(show()))

async function show() {
  const notices = await latest().catch(() => [])
  // What is closed does not come back with the next one.
  const before = await shownBefore().catch(() => [])
  const fresh = notices.filter(({ tag }) => !before.includes(tag))
  // Browsers take the permission away from a site that shows nothing.
  const some = [fresh, notices.slice(0, 1), UNKNOWN].find(list => list.length > 0)
  for (const { title, body, url, tag } of some) await self.registration.showNotification(title, { body, tag, data: url })
  if (notices.length > 0) await remember(notices.map(({ tag }) => tag)).catch(() => {})
}

// A worker ends between two messages; this storage stays.
const SHOWN = '/shown'
const storage = () => caches.open('notifications')
const shownBefore = async () => (await (await storage()).match(SHOWN))?.json() ?? []
const remember = async tags => (await storage()).put(SHOWN, Response.json(tags))

async function latest() {
  const response = await fetch('/account/notifications/latest')
  // To the page for signing in: the session is over.
  return response.ok && !response.redirected ? response.json() : []
}

self.addEventListener('notificationclick', event => {
  event.notification.close()
  event.waitUntil(open(new URL(event.notification.data, location.origin).href))
})

/** Shows a page in a window of the console in which nothing would be lost, if one is open; otherwise in a new one. */
async function open(url) {
  for (const window of await self.clients.matchAll({ type: 'window' })) {
    if (!(await isFree(window))) continue
    await window.focus()
    return window.navigate(url)
  }
  return self.clients.openWindow(url)
}

const ANSWER = 500

/** Whether the page in a window says that nothing was typed into it. */
const isFree = window =>
  new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve(data)
    setTimeout(resolve, ANSWER, false)
    window.postMessage('May you be left?', [port2])
  })
