// What could not be sent yet waits in the browser. Several people may have left something, each in a tab or one after the
// other on a tablet, so nothing of it is shown to the person who opens the form next.

const WEEK = 7 * 24 * 60 * 60 * SECOND

/** By the name of the form. What waits on a tablet for many people `stays` until it is sent, the rest for a week. */
const outbox = {
  newKey: name => `${SAVED}${name} ${Date.now()}${Math.random()}`,
  /** The oldest first. */
  read: name =>
    allowed(() => {
      const keys = Object.keys(localStorage).filter(key => key.startsWith(`${SAVED}${name} `))
      const all = keys.map(key => ({ ...JSON.parse(localStorage.getItem(key)), key }))
      const isOver = ({ at, stays }) => !stays && Date.now() - at >= WEEK
      for (const one of all.filter(isOver)) outbox.remove(one.key)
      return all.filter(one => !isOver(one)).sort((one, other) => one.at - other.at)
    }) ?? [],
  /** False if the browser does not let us. */
  write: ({ key, at = Date.now(), ...entry }) =>
    allowed(() => localStorage.setItem(key, JSON.stringify({ ...entry, at })) ?? true) ?? false,
  remove: key => allowed(() => localStorage.removeItem(key)),
}

/** What a form sends. With `waited`, the server does not ask about anything. */
const bodyOf = (form, waited) =>
  new URLSearchParams([...new FormData(form), ['answer', 'fragment'], ...(waited ? [['waited', 'yes']] : [])])

/** Sends what has waited, as it is, and returns whether it has arrived; undefined if we should try again later. */
async function sendLate(entry) {
  const answer = await request(entry.url, new URLSearchParams(entry.body)).catch(() => undefined)
  if (!answer || answer.status === 429) return undefined
  const { dataset } = answer.section
  if (dataset.frontdesk === 'sent' || 'arrived' in dataset) {
    outbox.remove(entry.key)
    return true
  }
  const shown = answer.section.querySelector('form')?.elements ?? {}
  const body = new URLSearchParams(entry.body)
  const isStuck = [undefined, body.get('token')].includes(shown.token?.value)
  if (!isStuck) {
    // The form has changed: it is sent next time as it is now, without the consent, which was given to other words.
    body.set('token', shown.token.value)
    body.set('step', shown.step?.value ?? '')
    body.delete('consent')
  }
  outbox.write({ ...entry, body: `${body}`, isStuck })
  return false
}
