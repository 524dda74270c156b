// What could not be sent yet waits in the browser. Several people may have left something, each in a tab or one after the
// other on a tablet, so nothing of it is shown to the person who opens the form next.

const WEEK = 7 * 24 * 60 * 60 * SECOND

/** By the name of the form. What waits on a tablet for many people `stays` until it is sent, the rest for a week. */
const outbox = {
  newKey: name => `${SAVED}${name} ${Date.now()}${Math.random()}`,
  /** The oldest first. */
  read: name =>
    allowed(() => {
      const stays = one => one.stays || Date.now() - one.at < WEEK
      return Object.keys(localStorage)
        .filter(key => key.startsWith(`${SAVED}${name} `))
        .map(key => ({ ...JSON.parse(localStorage.getItem(key)), key }))
        .filter(one => stays(one) || outbox.remove(one.key))
        .sort((one, other) => one.at - other.at)
    }) ?? [],
  /** Returns true, or undefined if the browser does not let us. */
  write: ({ key, at = Date.now(), ...entry }) =>
    allowed(() => !localStorage.setItem(key, JSON.stringify({ ...entry, at }))),
  /** Returns undefined. */
  remove: key => allowed(() => localStorage.removeItem(key)),
}

/** What a form sends. With `waited`, the server does not ask about anything. */
const bodyOf = (form, waited, button) =>
  new URLSearchParams([...new FormData(form, button), ['answer', 'fragment'], ...(waited ? [['waited', 'yes']] : [])])

/** Sends what has waited, as it is, and returns whether it has arrived; undefined if we should try again later. */
async function sendLate(entry) {
  const body = new URLSearchParams(entry.body)
  const answer = await request(entry.url, body).catch(() => undefined)
  if (!answer || answer.status === 429) return undefined
  const { section } = answer
  if (section.dataset.frontdesk === 'sent' || 'arrived' in section.dataset) {
    outbox.remove(entry.key)
    return true
  }
  const { token, step } = section.querySelector('form')?.elements ?? {}
  const isStuck = !token || token.value === body.get('token')
  if (!isStuck) {
    // The form has changed: it is sent next time as it is now, without the consent, which was given to other words.
    body.set('token', token.value)
    body.set('step', step?.value ?? '')
    body.delete('consent')
  }
  outbox.write({ ...entry, body: `${body}`, isStuck })
  return false
}
