/** Pages that behave as the website builders of schools do with what someone pastes into them. */
import type { startSite } from './site.ts'

type Site = Awaited<ReturnType<typeof startSite>>

/** What the console gives to paste: the element with its script, and the iframe. */
export type Code = { element: string; iframe: string }

/** What a builder does with the code. */
export type Website = {
  name: string
  /** Whether the builder puts code into a frame of its own, so that the form cannot see the page around it. */
  framed: boolean
  publish(site: Site, path: string, code: string): string
}

/** A theme with looks for every field and button of its pages, and a plugin that stops every form from being sent. */
const wordPress: Website = {
  name: 'WordPress',
  framed: false,
  publish: (site, path, code) =>
    site.publish(
      path,
      `<style>
body { font-family: serif; font-size: 14px }
label, input { display: none !important }
input, select, textarea { border: 3px dotted pink !important; padding: 0 !important }
button { background: lime !important; text-transform: uppercase }
</style>
<script>addEventListener('submit', event => event.preventDefault(), true)</script>
<div class="entry-content"><div class="wp-block-html">${code}</div></div>`,
    ),
}

/** Sections on dark ground, and blocks that are put in again by a script, as where a page is loaded without the browser. */
const squarespace: Website = {
  name: 'Squarespace',
  framed: false,
  publish: (site, path, code) =>
    site.publish(
      path,
      `<style>
html { font-size: 62.5% }
body { background: #0b1020; color: #dfe6ff; font-size: 1.5rem }
* { letter-spacing: 0.03em; line-height: 1 !important }
</style>
<div class="sqs-block" id="block">${code}</div>
<script>
addEventListener('load', () => {
  const block = document.querySelector('#block')
  block.innerHTML = ${inScript(code)}
  for (const script of block.querySelectorAll('script')) {
    const again = document.createElement('script')
    for (const { name, value } of script.attributes) again.setAttribute(name, value)
    script.replaceWith(again)
  }
})
</script>`,
    ),
}

/** Only a frame, which its sandbox keeps from most of what a page may do. */
const wix: Website = {
  name: 'Wix',
  framed: true,
  publish: (site, path, code) =>
    site.publish(
      path,
      code.replace(
        '<iframe',
        '<iframe sandbox="allow-same-origin allow-forms allow-popups allow-scripts allow-presentation"',
      ),
    ),
}

/** Rendered on the server, then again by its script, which mounts everything twice and loads scripts last. */
const nextJs: Website = {
  name: 'Next.js',
  framed: false,
  publish: (site, path, code) => {
    const [, source] = /<script src="([^"]*)"/.exec(code) ?? []
    const content = code.replace(/<script.*?<\/script>/s, '')
    return site.publish(
      path,
      `<div id="__next">${content}</div>
<script>
addEventListener('load', () => {
  const root = document.querySelector('#__next')
  const mount = () => { root.innerHTML = ${inScript(content)} }
  mount()
  root.replaceChildren()
  mount()
  history.replaceState({}, '', location.href)
  const source = ${inScript(source ?? '')}
  if (source) document.body.append(Object.assign(document.createElement('script'), { src: source }))
})
</script>`,
    )
  },
}

/** A policy that allows what the page about forms names, and nothing else. `ours`: the origin of the forms. */
const strict = (ours: string): Website => ({
  name: 'a strict policy',
  framed: false,
  publish: (site, path, code) =>
    site.publish(path, code, {
      'Content-Security-Policy': `default-src 'none'; script-src ${ours}; connect-src ${ours}; frame-src ${ours}; require-trusted-types-for 'script'`,
    }),
})

export const websites = (ours: string): Website[] => [wordPress, squarespace, wix, nextJs, strict(ours)]

/** A text in a script of a page. */
const inScript = (text: string): string => JSON.stringify(text).replaceAll('</', '<\\/')
