// Says how far an export is. The download needs neither this script nor this page.

const status = document.querySelector('[data-export-progress]')
let followed

for (const link of document.querySelectorAll('[data-export]'))
  link.addEventListener('click', () => {
    followed = Math.random().toString(36).slice(2)
    // What it says of an earlier download.
    status.replaceChildren()
    const url = new URL(link.href)
    url.searchParams.set('run', followed)
    link.href = url
    follow(followed)
  })

// If another process of the service makes the file, this one may know nothing of it.
const MOST_TRIES = 30

async function follow(run) {
  for (let failures = 0; failures < MOST_TRIES; ) {
    await new Promise(resolve => setTimeout(resolve, 1000))
    const response = await fetch(`/export/progress?run=${run}`).catch(() => undefined)
    if (response?.redirected || followed !== run) return
    failures = response?.ok ? 0 : failures + 1
    if (!response?.ok) continue
    status.innerHTML = await response.text()
    const end = status.querySelector('[data-ended]')
    if (end === null) continue
    document.dispatchEvent(new CustomEvent('say', { detail: end.textContent }))
    return
  }
}
