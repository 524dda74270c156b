// Says how far exports are. The downloads need neither this script nor this page.

const status = document.querySelector('[data-export-progress]')

for (const link of document.querySelectorAll('[data-export]'))
  link.addEventListener('click', () => {
    const run = Math.random().toString(36).slice(2)
    const url = new URL(link.href)
    url.searchParams.set('run', run)
    link.href = url
    // What it says of earlier downloads.
    for (const ended of status.querySelectorAll('[data-ended]')) ended.closest('[data-run]').remove()
    const part = document.createElement('div')
    part.dataset.run = run
    status.prepend(part)
    follow(part)
  })

// Those that began before someone came back to this page.
for (const part of status.querySelectorAll('[data-run]')) if (!part.querySelector('[data-ended]')) follow(part)

// If another process of the service makes the file, this one may know nothing of it.
const MOST_TRIES = 30

async function follow(part) {
  for (let failures = 0; failures < MOST_TRIES; ) {
    await new Promise(resolve => setTimeout(resolve, 1000))
    const response = await fetch(`/export/progress?run=${part.dataset.run}`).catch(() => undefined)
    if (response?.redirected) return
    failures = response?.ok ? 0 : failures + 1
    if (!response?.ok) continue
    const words = part.querySelector('[data-words]') ?? part
    words.innerHTML = await response.text()
    const end = words.querySelector('[data-ended]')
    if (end === null) continue
    document.dispatchEvent(new CustomEvent('say', { detail: end.textContent }))
    return
  }
}
