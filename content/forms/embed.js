// Forms in other pages: the element <frontdesk-form>, and iframes. The server writes FORMS before it, the
// URL of the form of each kind, and CLICK_IDS, the parameters of clicks on ads that the school keeps.

const ORIGINS = Object.values(FORMS).map(url => new URL(url).origin)

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

/** Where a form is: this page, how the visit began, and for what that does not say, the campaign of the element. */
const cameFrom = campaign => [['page', plain(location.href)], ...campaignOf(campaign), ...begun]

/** `<frontdesk-form kind="student">` shows what is inside it, such as a link, until its form has come. */
class FrontdeskForm extends HTMLElement {
  static observedAttributes = ['kind', 'form', 'lang', 'program', 'theme']
  #url

  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: 'open' }).append(make('slot'))
    this.#load()
  }

  attributeChangedCallback() {
    if (this.isConnected && this.shadowRoot) this.#load()
  }

  async #load() {
    const kind = this.getAttribute('kind') ?? 'student'
    if (!FORMS[kind]) {
      console.warn(`frontdesk-form: kind="${kind}" is not a form; use kind="student" or kind="site"`)
      return
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
    const answer = await request(url).catch(() => undefined)
    if (this.#url !== url.href) return
    if (!answer) {
      this.#url = undefined
      addEventListener('online', () => this.#load(), { once: true })
      return
    }
    // The server's styles come in a template: a page whose policy forbids inline styles would report them.
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(answer.page.querySelector('template').content.textContent)
    this.shadowRoot.adoptedStyleSheets = [sheet]
    this.style.colorScheme = this.getAttribute('theme') ?? groundOf(this)
    this.shadowRoot.replaceChildren(document.adoptNode(answer.section))
    improve(this.shadowRoot, this, () => cameFrom(this.getAttribute('campaign')))
    tell(this, 'ready', { kind })
  }
}

/**
 * The color scheme that can be read on the page behind an element; '' for that of the page. Many dark pages set colors and
 * no scheme.
 */
function groundOf(element) {
  const { colorScheme } = getComputedStyle(element)
  for (let one = element; one; one = one.parentElement ?? one.getRootNode().host) {
    const color = getComputedStyle(one).backgroundColor
    if (!color.startsWith('rgb')) return ''
    const [red, green, blue, opacity = 1] = color.match(/[\d.]+/g).map(Number)
    if (opacity < 0.5) continue
    const isDark = red * 0.299 + green * 0.587 + blue * 0.114 < 128
    return isDark ? 'dark' : colorScheme === 'normal' ? '' : 'light'
  }
  return ''
}

/** What the page around an iframe may say; it must not answer for the person, least of all tick the consent. */
const FROM_AROUND = name => /^(page|referrer|landing|utm_[a-z]+)$/.test(name) || CLICK_IDS.includes(name)

/** In an iframe: tells the page around it how high the form is, and learns from it where it is. */
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
    measure()
  })
  new ResizeObserver(measure).observe(document.documentElement)
  parent.postMessage({ frontdesk: 'hello' }, '*')
  return () => around
}

/** Around iframes: only a page of ours in an iframe of this page is heard. Either may have loaded first. */
function listenToIframes() {
  const greet = iframe => {
    iframe.postMessage({ frontdesk: 'around', around: cameFrom('') }, '*')
  }
  addEventListener('message', ({ origin, source, data }) => {
    const iframes = [...document.querySelectorAll('iframe')]
    const iframe = iframes.find(({ contentWindow }) => contentWindow === source)
    if (!iframe || !ORIGINS.includes(origin) || !data?.frontdesk) return
    const { frontdesk: what, height, ...detail } = data
    if (what === 'hello') greet(source)
    else if (what === 'height') iframe.style.height = `${Math.min(height, 20_000)}px`
    else if (what === 'sent') tell(iframe, what, detail)
  })
  for (const { contentWindow } of document.querySelectorAll('iframe')) greet(contentWindow)
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
