/** The page of a destination: its form, its keys, and everything that was sent to it. */
import { html, raw } from 'hono/html'
import { createShortDateFormat, durationInWords } from '../../content/date-format.ts'
import type { DestinationKind, Sealed } from '../../destinations/destination-kind.ts'
import { kindNamed } from '../../destinations/kinds.ts'
import { openSettings, sealSettings } from '../../destinations/sealed-settings.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import { whyLost } from '../../leads/words/lost-destinations.ts'
import { exactMoment } from '../../platform/time.ts'
import type { LoggedDelivery, Resending } from '../../store/destinations/delivery-log.ts'
import type { Destination } from '../../store/destinations/destinations.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { checkbox, fieldsOf, formOf, numberOf } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { formFields } from './destination-form.ts'
import { keysPage } from './destination-keys.ts'
import { deliveryLog, SHOWN } from './destination-log.ts'
import { tryOut, tryOutButton } from './destination-try-out.ts'
import { checkEntered, type Entered, enteredIn, enteredOf, knownLabels, type Problems } from './entered-destination.ts'

const LIST = '/destinations'
const PATH = `${LIST}/:id{[0-9]{1,15}}`
const ACTION = 'manage destinations'

export const destinationRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, async (c, deps) => onePage(c, deps, await destinationOf(c))),
  post(PATH, ACTION, save),
  act('test', async (c, { store, clock, changed }, one) => {
    mustBeOn(one)
    const audit = auditEntries(c, 'sent a test to a destination', { detail: one.name })
    if (!(await store.sendTest(one.id, { now: clock.now(), audit }))) throw isOff()
    changed(['deliveries'])
    return 'The test is on its way. Reload this page to see its response.'
  }),
  act('resend', async (c, { store, changed, settings }, one) => {
    mustBeOn(one)
    const which = resendingIn(await fieldsOf(c), settings.school.timeZone)
    const about = 'id' in which ? `delivery ${which.id}` : `everything since ${exactMoment(which.since)}`
    const audit = auditEntries(c, 'sent an event again', { detail: `${one.name}: ${about}` })
    const again = await store.resendDeliveries(one.id, { which, audit })
    changed(['deliveries'])
    if (again === 0) return 'Nothing was sent again: the event is gone or already waiting, or the destination is off.'
    return again === 1 ? 'The event is sent again.' : `${again} events are sent again, in their order.`
  }),
  act('on', async (c, { store, clock, changed }, { id, name }) => {
    const missed = (await fieldsOf(c))['missed'] === 'yes'
    const audit = auditEntries(c, 'switched a destination on', {
      detail: missed ? `${name}, with what it missed` : name,
    })
    const sent = await store.switchOn(id, { missed, now: clock.now(), audit })
    changed(['reports', 'deliveries'])
    c.get('frame').mailTrouble.forget()
    if (missed) return `${name} is on, and gets ${counted(sent, 'event')} that it missed, in their order.`
    return `${name} is on. ${sent === 0 ? 'What it missed is not sent.' : 'Of what it missed, only which leads were erased is sent.'}`
  }),
  act('off', async (c, { store, clock }, { id, name }) => {
    const audit = auditEntries(c, 'switched a destination off', { detail: name })
    await store.switchOff(id, { reason: 'switched off', now: clock.now(), audit })
    return `${name} is off, and gets no events.`
  }),
  post(`${PATH}/keys`, ACTION, renewKeys),
  post(`${PATH}/delete`, ACTION, async (c, { store, clock, changed }) => {
    const { id, name, off } = await destinationOf(c)
    if (off === undefined) throw new ConsoleError(422, 'It is on. Switch it off first.')
    const audit = auditEntries(c, 'deleted a destination', { detail: name })
    await store.deleteDestination(id, { now: clock.now(), audit })
    changed(['reports'])
    c.get('frame').mailTrouble.forget()
    return redirect(c, LIST, { text: `${name} was deleted.` })
  }),
]

function mustBeOn({ off }: Destination): void {
  if (off !== undefined) throw isOff()
}

const isOff = () => new ConsoleError(422, 'It is off. Switch it on first.')

function resendingIn(fields: Record<string, string | undefined>, timeZone: string): Resending {
  const { delivery, since = '', type, undelivered } = fields
  if (delivery !== undefined) return { id: numberOf(delivery) ?? 0 }
  return { since: momentIn(since, timeZone), type: type || undefined, undelivered: undelivered === 'yes' }
}

/** Reads a local date and time. Throws a ConsoleError if it cannot be read. */
function momentIn(text: string, timeZone: string): number {
  try {
    return Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds
  } catch {
    throw new ConsoleError(422, 'Enter a date and a time.')
  }
}

/** Does something with a destination, and says what is now true of it. */
function act(path: string, does: (c: ConsoleContext, deps: ConsoleDeps, one: Destination) => Promise<string>) {
  return post(`${PATH}/${path}`, ACTION, async (c, deps) => {
    const one = await destinationOf(c)
    return redirect(c, `${LIST}/${one.id}`, { text: await does(c, deps, one) })
  })
}

const destinationOf = async (c: ConsoleContext): Promise<Destination> =>
  existing('destination', await c.get('frame').deps.store.readDestination(idIn(c)))

async function save(c: ConsoleContext, deps: ConsoleDeps) {
  const one = await destinationOf(c)
  const kind = kindOf(one)
  const before = sealedOf(c, one)
  const form = await formOf(c)
  const entered = enteredIn(form, kind)
  const known = await knownLabels(deps)
  const checked = checkEntered(entered, { c, kind, before: before.values, known })
  if ('problems' in checked) return onePage(c, deps, one, { entered, problems: checked.problems })
  if (form.get('do') === 'try') return onePage(c, deps, one, { entered, tried: true })
  const { choices, values } = checked
  const place = { host: new URL(values['url'] ?? '').host, sealed: seal(deps, one, { ...before, values }) }
  const audit = auditEntries(c, 'changed a destination', { detail: choices.name })
  await deps.store.changeDestination(one.id, { ...choices, ...place }, audit)
  return redirect(c, `${LIST}/${one.id}`, { text: 'Saved.' })
}

const seal = ({ secretKey }: ConsoleDeps, { ref }: Destination, sealed: Sealed): string =>
  sealSettings(secretKey, ref, sealed)

async function renewKeys(c: ConsoleContext, deps: ConsoleDeps) {
  const one = await destinationOf(c)
  const { keys } = kindOf(one)
  if (keys === undefined) throw new ConsoleError(422, 'This kind of destination has no keys.')
  const before = sealedOf(c, one)
  const renewed = keys.renew(before.keys, deps.clock.now())
  const sealed = seal(deps, one, { ...before, keys: renewed })
  const audit = auditEntries(c, 'changed the keys of a destination', { detail: one.name })
  await deps.store.changeDestination(one.id, { ...one, sealed }, audit)
  return keysPage(c, one.id, keys.shown(renewed), keys)
}

function kindOf({ kind }: Destination): DestinationKind {
  const found = kindNamed(kind)
  if (found === undefined) throw new ConsoleError(409, 'This version of Frontdesk has no such kind of destination.')
  return found
}

function sealedOf(c: ConsoleContext, one: Destination): Sealed {
  const sealed = openSettings(c.get('frame').deps.secretKey, one)
  if (sealed === undefined) throw new ConsoleError(409, `${UNREADABLE} Delete it and add it again.`)
  return sealed
}

const UNREADABLE = 'What is stored encrypted cannot be read, because SECRET_KEY was changed.'

type Shown = { entered?: Entered; problems?: Problems; tried?: boolean }

async function onePage(
  c: ConsoleContext,
  deps: ConsoleDeps,
  one: Destination,
  { entered, problems, tried }: Shown = {},
) {
  const { store, secretKey, settings, clock } = deps
  const before = numberOf(c.req.query('before'))
  const deliveries = await store.listDeliveries(one.id, { before, limit: SHOWN })
  const missed = one.off === undefined ? 0 : await store.countMissed(one.id)
  const known = await knownLabels(deps)
  const kind = kindOf(one)
  const sealed = openSettings(secretKey, one)
  const shortDate = createShortDateFormat(settings.school)
  const shown = entered ?? enteredOf(one, { kind, values: sealed?.values ?? {}, tags: known.tags })
  return page(
    c,
    { title: one.name, current: LIST, width: 'wide', status: problems === undefined ? 200 : 422 },
    html`<p class="back"><a href="${LIST}">Back to the destinations</a></p>
${stateNotice(one, kind, before === undefined ? deliveries : [])}
${tried ? tryOut(kind, shown, deps) : ''}
${accessPanel(one, kind, { sealed, missed })}
<section class="panel"><details${entered === undefined ? '' : raw(' open')}><summary>Change where it is, and what it gets</summary>
<form method="post" action="${LIST}/${one.id}" class="stack">
${formFields({ kind, entered: shown, problems, host: one.host, known })}
<div class="actions"><button>Save</button>${tryOutButton(kind)}</div>
</form></details></section>
${deliveryLog(one, deliveries, { kind, when: time => shortDate(time, clock.now()) })}`,
  )
}

function accessPanel(
  one: Destination,
  { name, keys }: DestinationKind,
  { sealed, missed }: { sealed: Sealed | undefined; missed: number },
): Html {
  const known = keys === undefined || sealed === undefined ? [] : keys.shown(sealed.keys).filter(key => !key.secret)
  return html`<section class="panel"><h2>${name}</h2>
${sealed === undefined ? html`<p class="problem">${UNREADABLE} Delete it and add it again.</p>` : ''}
${known.map(({ label, value }) => html`<p>${label}:<br><code>${value}</code></p>`)}
<div class="actions">
${one.off === undefined ? button(one, 'test', 'Send a test') : ''}
${one.off === undefined ? button(one, 'off', 'Switch it off') : switchOnForm(one, missed)}
${keys === undefined ? '' : button(one, 'keys', 'Make new keys')}
${one.off === undefined ? '' : button(one, 'delete', 'Delete it', 'danger')}
</div>
${keys === undefined ? '' : html`<p class="quiet small">After you make new keys, the old ones also sign for ${durationInWords(keys.overlap)}.</p>`}
</section>`
}

function stateNotice(
  { off, failures, retryAt }: Destination,
  { guide }: DestinationKind,
  deliveries: readonly LoggedDelivery[],
): Html {
  const [last] = deliveries.flatMap(({ attempts }) => attempts).toSorted((one, other) => other.at - one.at)
  const note = last === undefined || last.note === '' ? '' : html` The last attempt: ${last.note}.`
  const where = html`${note} <em>What was sent</em>, below, has the responses; <code>${guide}</code> of the documentation says what they mean.`
  if (off?.reason === 'gone')
    return html`<div class="banner"><p><strong>It is off:</strong> ${whyLost.gone}.${where}</p></div>`
  if (off?.reason === 'given up')
    return html`<div class="banner"><p><strong>It is off:</strong> ${whyLost['given up']}. Fix the receiver, then switch it on.${where}</p></div>`
  if (off !== undefined)
    return html`<div class="banner"><p>It is off, and gets no events. What happens meanwhile is kept for 30 days, so that you can send it once it is on.</p></div>`
  if (failures === 0) return html``
  return html`<div class="banner"><p><strong>It is failing:</strong> ${counted(failures, 'attempt')} in a row.${retryAt === null ? '' : ' We wait a while before the next.'}${where}</p></div>`
}

const switchOnForm = ({ id }: Destination, missed: number): Html => html`<form method="post" action="${LIST}/${id}/on">
${missed === 0 ? '' : checkbox('missed', `Send ${counted(missed, 'event')} that it missed`, true, { id: 'missed', value: 'yes' })}
<button class="secondary small">Switch it on</button></form>`

const button = ({ id }: Destination, action: string, words: string, look = 'secondary'): Html =>
  html`<form method="post" action="${LIST}/${id}/${action}"><button class="${look} small">${words}</button></form>`
