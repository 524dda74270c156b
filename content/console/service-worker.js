// Shows what is new. The message that wakes this script is empty: what to show is fetched from the console.

const UNKNOWN = [{ title: 'Something is new', body: 'Open the console to see it.', url: '/', tag: 'unknown' }]

self.addEventListener('install', () => self.skipWaiting())

self.addEventListener('push', event => event.waitUntil(show()))

async function show() {
  const notices = await latest().catch(() => [])
  // Browsers take the permission away from a site that shows nothing.
  for (const { title, body, url, tag } of notices.length > 0 ? notices : UNKNOWN)
    await self.registration.showNotification(title, { body, tag, data: url })
}

async function latest() {
  const response = await fetch('/account/notifications/latest')
  // To the page for signing in: the session is over.
  return response.ok && !response.redirected ? response.json() : []
}

self.addEventListener('notificationclick', event => {
  event.notification.close()
  event.waitUntil(open(new URL(event.notification.data, location.origin).href))
})

/** Shows a page in a window of the console, if one is open; otherwise in a new one. */
async function open(url) {
  const [window] = await self.clients.matchAll({ type: 'window' })
  if (window === undefined) return self.clients.openWindow(url)
  await window.focus()
  return window.navigate(url)
}
