// Forms in other pages: the element <frontdesk-form>, and iframes. The server writes FORMS before it, the
// URL of the form of each kind, and CLICK_IDS, the parameters of clicks on ads that the school keeps.

const ORIGINS = Object.values(FORMS).map(url => new URL(url).origin)

const said = new Set()

/** What a web person sees in the console where something is set wrong, once. */
function warn(text) {
  if (!said.has(text)) console.warn(`frontdesk-form: ${text}. More: ${new URL('/forms', FORMS.site)}#wrong`)
  said.add(text)
}

// A policy that is too strict is reported by the browser in its own words, without what to allow.
addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
  const origin = ORIGINS.find(one => blockedURI.startsWith(one))
  if (origin) warn(`the Content-Security-Policy of this page blocks the form; add "${effectiveDirective} ${origin}" to it`)
})

const plain = url => (/^https?:/.test(url) ? url.replace(/[?#].*/s, '') : '')
const campaignOf = query =>
  [...new URLSearchParams(query)].filter(([name]) => name.startsWith('utm_') || CLICK_IDS.includes(name))

/**
 * How this visit of the website began: its first page, the site before it, and the campaign. A page with a campaign begins
 * another visit. It is kept for this tab, which forgets it when it is closed; browsers may not let us keep it.
 */
function visit() {
  const campaign = campaignOf(location.search)
  const begun = [['landing', plain(location.href)], ['referrer', plain(document.referrer)], ...campaign]
  try {
    const kept = JSON.parse(sessionStorage.getItem('frontdesk-visit'))
    if (Array.isArray(kept) && campaign.length === 0) return kept
    // A page of ours has all of it in its URL.
    if (!ORIGINS.includes(location.origin)) sessionStorage.setItem('frontdesk-visit', JSON.stringify(begun))
  } catch {}
  return begun
}

/**
 * Where a form is: this page, how the visit began, and the campaign of the element, for what the visit does not say.
 */
const cameFrom = campaign => [['page', plain(location.href)], ...campaignOf(campaign), ...begun]

/** `<frontdesk-form kind="student">` shows what is inside it, such as a link, until its form has come. */
class FrontdeskForm extends HTMLElement {
  static observedAttributes = ['kind', 'form', 'lang', 'program', 'theme']
  #url
  #page = new MutationObserver(() => this.#load())

  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: 'open' }).append(make('slot'))
    this.#page.observe(document.documentElement, { attributeFilter: ['lang'] })
    this.#load()
  }

  disconnectedCallback() {
    this.#page.disconnect()
  }

  attributeChangedCallback() {
    if (this.isConnected && this.shadowRoot) this.#load()
  }

  async #load() {
    const kind = this.getAttribute('kind') ?? 'student'
    if (!FORMS[kind]) {
      return warn(`kind="${kind}" is not a form; use kind="student" or kind="site"`)
    }
    // Another form of that kind stands beside the first one.
    const url = new URL(encodeURIComponent(this.getAttribute('form') ?? '') || FORMS[kind], FORMS[kind])
    url.searchParams.set('embed', 'element')
    const language = this.closest('[lang]')?.lang
    if (language) url.searchParams.set('lang', language)
    const program = this.getAttribute('program')
    if (program) url.searchParams.set('program', program)
    if (this.#url === url.href) return
    this.#url = url.href
    const answer = await request(preloaded(url)).catch(error => ({ status: error.status }))
    if (this.#url !== url.href) return
    if (!answer.section) {
      this.#url = undefined
      addEventListener('online', () => this.#load(), { once: true })
      return explain(url, answer.status)
    }
    // The server's styles come in a template: a page whose policy forbids inline styles would report them.
    const sheet = new CSSStyleSheet()
    this.style.colorScheme = ''
    const ground = this.getAttribute('theme') ?? groundOf(this)
    const styles = answer.page.querySelector('template').content.textContent
    sheet.replaceSync(ground === 'card' ? styles + CARD : styles)
    this.shadowRoot.adoptedStyleSheets = [sheet]
    this.style.colorScheme = ground === 'card' ? 'light' : ground
    this.shadowRoot.replaceChildren(document.adoptNode(answer.section))
    improve(this.shadowRoot, this, () => cameFrom(this.getAttribute('campaign')))
    checkLooks(this)
    const { program: choice } = this.shadowRoot.querySelector('form')?.elements ?? {}
    if (program && choice?.value === '') warn(`program="${program}" is not a program of the school`)
    tell(this, 'ready', { kind })
  }
}

/** The URL of this form that a link of the page has loaded before the script came, otherwise the same URL. */
function preloaded(url) {
  const [wanted, program] = ['lang', 'program'].map(name => url.searchParams.get(name) ?? '')
  const isSame = ({ href }) => {
    const { origin, pathname, searchParams } = new URL(href)
    const language = searchParams.get('lang') ?? ''
    const isReadable = wanted === '' || wanted.split('-')[0] === language.split('-')[0]
    return origin + pathname === url.origin + url.pathname && (searchParams.get('program') ?? '') === program && isReadable
  }
  return [...document.querySelectorAll('link[rel=preload]')].find(isSame)?.href ?? url
}

/** Why the form is missing. A browser says nothing of a response that this site may not read. */
async function explain(url, status) {
  if (status === 404) return warn(`form="${url.pathname.split('/').at(-1)}" is not a form of the school`)
  if (status) return warn(`${url} returned ${status}; the link is shown, and the form as soon as it loads`)
  const isThere = await fetch(url, { method: 'HEAD', mode: 'no-cors' }).catch(() => false)
  if (isThere) warn(`the school does not let ${location.origin} show its forms; ask it to add this site to forms.embedOn`)
}

const COLORS = ['fill', 'hover', 'label', 'accent', 'deep', 'ink', 'quiet', 'paper', 'edge', 'ground', 'wrong']

/** Warns about values of the page that are not colors, and gives the button a text that can be read on its color. */
function checkLooks(element) {
  const theme = element.getAttribute('theme')
  if (theme && theme !== 'light' && theme !== 'dark') warn(`theme="${theme}" is not a theme; use "light" or "dark"`)
  for (const name of COLORS) {
    const value = getComputedStyle(element).getPropertyValue(`--${name}`).trim()
    if (!CSS.supports('color', value)) warn(`--${name}: ${value} is not a color`)
  }
  const button = element.shadowRoot.querySelector('[part=button]')
  const { backgroundColor, color } = button ? getComputedStyle(button) : {}
  if (!backgroundColor || contrast(backgroundColor, color) >= 4.5) return
  const label = contrast(backgroundColor, 'rgb(255, 255, 255)') >= 4.5 ? 'white' : 'black'
  element.style.setProperty('--label', label)
  element.style.setProperty('--hover', `color-mix(in oklab, var(--fill), ${label === 'white' ? 'black' : 'white'} 15%)`)
}

/** Of two colors, as browsers compute them (WCAG 2.2, "contrast ratio"). */
function contrast(...colors) {
  const [dark, light] = colors.map(luminance).sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** From 0 for black to 1 for white (WCAG 2.2, "relative luminance"). The lightness of lab and oklab is near enough. */
function luminance(color) {
  const [first, ...others] = color.replace(/^color\(\S+/, '').match(/[\d.]+/g).map(Number)
  if (color.startsWith('ok')) return first ** 3
  if (color.startsWith('l')) return ((first + 16) / 116) ** 3
  const [red, green, blue] = [first, ...others]
    .map(part => (color.startsWith('rgb') ? part / 255 : part))
    .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const alphaOf = color => Number(/(?:rgba.*,|\/) ([\d.]+)\)/.exec(color)?.[1] ?? 1)

const CARD =
  ':host { background: var(--paper); border-radius: var(--radius, 8px); box-sizing: border-box; padding: clamp(1.125em, 6%, 2em); text-shadow: none; }'

const isPainted = ({ backgroundColor, backgroundImage }) => backgroundImage !== 'none' || alphaOf(backgroundColor) > 0

/**
 * Whether a neighbor of `one`, the form or an element around it, lies behind it, as the pictures of many sections do.
 * `inside`: whether a box contains the middle of the form.
 */
function hasLayer(one, inside) {
  const layer = style => Number.parseInt(style.zIndex) || 0
  const own = layer(getComputedStyle(one))
  const isSeen = other =>
    inside(other.getBoundingClientRect()) && other.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true }) !== false
  const isPicture = other =>
    isSeen(other) && (other.matches('img, video, iframe, canvas, svg') || isPainted(getComputedStyle(other)))
  return [...(one.parentNode?.children ?? [])].some(
    other =>
      other !== one &&
      layer(getComputedStyle(other)) <= own &&
      [other, ...other.querySelectorAll(isSeen(other) ? '*' : 'img, video')].some(isPicture),
  )
}

/**
 * The color scheme that can be read on the page behind an element; '' for that of the page. Many dark pages set colors and
 * no scheme. 'card': behind it is a picture, or a color on which neither scheme can be read, so only a ground of its own is
 * safe. A page whose own text could not be read on the color behind it has a picture in between.
 */
function groundOf(element) {
  const { color, colorScheme } = getComputedStyle(element)
  const { left, top, width, height } = element.getBoundingClientRect()
  const [x, y] = [left + width / 2, top + height / 2]
  const inside = box => box.left < x && x < box.right && box.top < y && y < box.bottom
  const schemeOn = (...grounds) => {
    if (grounds.some(ground => contrast(color, ground) < 2)) return 'card'
    const lights = grounds.map(luminance)
    if (Math.min(...lights) >= 0.7) return colorScheme === 'normal' ? '' : 'light'
    return Math.max(...lights) <= 0.055 ? 'dark' : 'card'
  }
  for (let one = element; one; one = one.parentElement ?? one.getRootNode().host) {
    const { backgroundColor: ground, backgroundImage: image } = getComputedStyle(one)
    const isCovered = ['::before', '::after'].some(place => {
      const style = getComputedStyle(one, place)
      const covers = Number.parseInt(style.width) >= width - 1 && Number.parseInt(style.height) >= height - 1
      return /^(abs|fix)/.test(style.position) && covers && isPainted(style)
    })
    if (isCovered || /url|image/.test(image)) return 'card'
    if (image !== 'none') {
      const stops = image.match(/\b(rgb|color|lab|lch|ok)\w*\([^()]*\)/g)
      return stops?.every(stop => alphaOf(stop) >= 0.9) ? schemeOn(...stops) : 'card'
    }
    if (alphaOf(ground) >= 0.9) return schemeOn(ground)
    if (hasLayer(one, inside)) return 'card'
  }
  // Nothing but the ground of the browser.
  return colorScheme.includes('dark') ? '' : schemeOn('rgb(255, 255, 255)')
}

/** What the page around an iframe may say; it must not answer for the person, least of all tick the consent. */
const FROM_AROUND = name => /^(page|referrer|landing|utm_[a-z]+)$/.test(name) || CLICK_IDS.includes(name)

/** In an iframe: tells the page around it how high the form is, and learns from it where it is and on what. */
function fitInto() {
  let around = []
  const measure = () => {
    const { height } = document.documentElement.getBoundingClientRect()
    parent.postMessage({ frontdesk: 'height', height: Math.ceil(height) }, '*')
  }
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || data?.frontdesk !== 'around') return
    around = data.around.filter(([name]) => FROM_AROUND(name))
    for (const form of document.forms) fillIn(form, around)
    document.body.classList.add('fitted')
    document.body.classList.toggle('open', data.ground === '' || data.ground === 'light')
    measure()
  })
  new ResizeObserver(measure).observe(document.documentElement)
  parent.postMessage({ frontdesk: 'hello' }, '*')
  return () => around
}

/** Around iframes: only a page of ours in an iframe of this page is heard. Either may have loaded first. */
function listenToIframes() {
  const greet = iframe => {
    iframe.contentWindow.postMessage({ frontdesk: 'around', around: cameFrom(''), ground: groundOf(iframe) }, '*')
  }
  addEventListener('message', ({ origin, source, data }) => {
    const iframes = [...document.querySelectorAll('iframe')]
    const iframe = iframes.find(({ contentWindow }) => contentWindow === source)
    if (!iframe || !ORIGINS.includes(origin) || !data?.frontdesk) return
    const { frontdesk: what, height, ...detail } = data
    if (what === 'hello') greet(iframe)
    else if (what === 'height') {
      iframe.style.height = `${Math.min(height, 20_000)}px`
      // An iframe is opaque unless it has the color scheme of the page.
      if (new URL(iframe.src).searchParams.get('theme') === 'dark') iframe.style.colorScheme = 'dark'
    }
    else if (what === 'sent') tell(iframe, what, detail)
  })
  for (const iframe of document.querySelectorAll('iframe')) greet(iframe)
}

function start() {
  const isFramed = parent !== window
  if (document.querySelector('[data-frontdesk]')) {
    improve(document, document.body, isFramed ? fitInto() : () => [])
  } else listenToIframes()
}

// Read before a page can change its URL without loading another.
const begun = visit()
customElements.define('frontdesk-form', FrontdeskForm)
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start)
else start()
