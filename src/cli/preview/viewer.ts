/** The page on which `preview` shows one message or page: on a phone and a desktop, in light and dark. */
import { escapeHtml } from '../../content/escape-html.ts'
import type { Mode } from '../../content/in-mode.ts'
import type { Item, Sample, State } from './catalog.ts'

export type Choice = { file: string; sample: number; mode: Mode }

export const urlOf = ({ file, sample, mode }: Choice, path = '/'): string =>
  `${path}?${new URLSearchParams({ file, sample: String(sample), mode })}`

export function viewer(state: State, choice: Choice): string {
  if ('problems' in state) return page('Preview', state.version, problemsView(state.problems))
  const { items, school, accent, notes } = state.catalog
  const item = items.find(({ file }) => file === choice.file) ?? items[0]
  if (item === undefined) return page('Preview', state.version, '')
  const shown = { ...choice, file: item.file, sample: item.samples[choice.sample] ? choice.sample : 0 }
  const sample = item.samples[shown.sample] as Sample
  return page(
    `${sample.title} – ${school}`,
    state.version,
    `<nav aria-label="Messages and pages">${listView(items, shown)}</nav>
<main>
${notes.map(note => `<p class="note">${escapeHtml(note)}</p>`).join('')}
<header>
<div><h1>${escapeHtml(sample.title)}</h1><p><code>content/${escapeHtml(item.file)}</code></p></div>
<p class="modes">${(['light', 'dark'] as const).map(mode => `<a href="${escapeHtml(urlOf({ ...shown, mode }))}"${current(mode === shown.mode)}>${mode === 'light' ? 'Light' : 'Dark'}</a>`).join('')}</p>
</header>
${samplesView(item, shown)}
${inboxView(sample)}
<div class="stage">
${frame('Phone', 390, shown)}
${frame('Desktop', item.group === 'Public pages' ? 1024 : 700, shown)}
</div>
${sample.text === undefined ? '' : `<h2>Text part</h2><pre tabindex="0">${escapeHtml(sample.text)}</pre>`}
</main>`,
    `light-dark(${accent.light}, ${accent.dark})`,
  )
}

function listView(items: Item[], shown: Choice): string {
  const groups = Map.groupBy(items, ({ group }) => group)
  return Array.from(groups, ([group, members]) => {
    const links = members.map(({ file }) => {
      // The file of another language has the same name as the English one.
      const [, language] = /^([a-z]{2,3}(?:-[A-Z]{2})?)\/.*\//.exec(file) ?? []
      const name = `${file.replace(/^.*\//, '').replace(/\.md$/, '')}${language ? ` (${language})` : ''}`
      const url = urlOf({ ...shown, file, sample: 0 })
      return `<li><a href="${escapeHtml(url)}"${current(file === shown.file)}>${escapeHtml(name)}</a></li>`
    })
    return `<h2>${group}</h2><ul>${links.join('')}</ul>`
  }).join('')
}

/** How a message looks in an inbox. */
const inboxView = ({ title, inbox }: Sample): string =>
  inbox === undefined
    ? ''
    : `<div class="inbox"><b>${escapeHtml(inbox.from)}</b><span><b>${escapeHtml(title)}</b> – ${escapeHtml(inbox.preheader)}</span></div>`

function samplesView({ samples }: Item, shown: Choice): string {
  if (samples.length === 1) return ''
  const links = samples.map(({ title }, index) => {
    const url = urlOf({ ...shown, sample: index })
    return `<a href="${escapeHtml(url)}" title="${escapeHtml(title)}"${current(index === shown.sample)}>${index + 1}</a>`
  })
  return `<p class="samples">Samples ${links.join('')}</p>`
}

const frame = (name: string, width: number, shown: Choice): string =>
  `<figure style="width: ${width}px"><figcaption>${name}, ${width} px</figcaption><iframe title="${name}" width="${width}" height="640" src="${escapeHtml(urlOf(shown, '/frame'))}"></iframe></figure>`

function problemsView(problems: string[]): string {
  const list = problems.map(problem => `<li>${escapeHtml(withPlace(problem))}</li>`).join('')
  return `<main class="problems"><h1>There is a mistake in a file</h1><ul>${list}</ul><p>Correct it and save the file. This page then updates by itself.</p></main>`
}

/** Liquid names the place of a mistake at the end of the message, as `line:4, col:7`. */
const withPlace = (problem: string): string =>
  problem.replace(/^([^:\s]+): (.*?),? line:(\d+), col:(\d+)/s, '$1, line $3, column $4: $2')

const current = (is: boolean): string => (is ? ' aria-current="true"' : '')

/** `accent` colors what can be pressed; where the school's color is not known, everything is like the text. */
const page = (title: string, version: string, body: string, accent = 'var(--ink)'): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>
  :root { color-scheme: light dark; --ground: light-dark(#f3f5f7, #14181d); --paper: light-dark(#ffffff, #1c2229); --ink: light-dark(#1d2530, #e4e8ec); --quiet: light-dark(#56616f, #a3aeba); --line: light-dark(#dde3e8, #2e3742); --accent: ${accent}; }
  * { box-sizing: border-box; }
  body { background: var(--ground); color: var(--ink); display: grid; font: 0.9375rem/1.5 system-ui, 'Segoe UI', Roboto, Arial, sans-serif; grid-template-columns: 15rem minmax(0, 1fr); margin: 0; min-height: 100vh; }
  a { border-radius: 6px; color: inherit; text-decoration: none; }
  a:hover { color: var(--accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  nav { background: var(--paper); border-right: 1px solid var(--line); height: 100vh; overflow-y: auto; padding: 0.5rem 0.75rem 2rem; position: sticky; top: 0; }
  nav h2, figcaption, .samples, main h2 { color: var(--quiet); font-size: 0.8125rem; font-weight: 600; margin: 1.25rem 0.625rem 0.25rem; }
  nav ul { list-style: none; margin: 0; padding: 0; }
  nav a { display: block; padding: 0.25rem 0.625rem; }
  nav [aria-current] { background: color-mix(in srgb, var(--accent) 14%, transparent); color: var(--accent); font-weight: 600; }
  main { padding: 1.5rem 2rem 3rem; }
  header { align-items: start; display: flex; gap: 2rem; justify-content: space-between; }
  h1 { font-size: 1.25rem; font-weight: 650; line-height: 1.3; margin: 0; }
  header p { margin: 0.125rem 0 0; }
  code, pre { font: 0.8125rem/1.6 ui-monospace, Menlo, Consolas, monospace; }
  code { color: var(--quiet); }
  .note { background: color-mix(in srgb, var(--accent) 8%, transparent); border-radius: 9px; margin: 0 0 1rem; max-width: 60rem; padding: 0.5rem 0.875rem; }
  .modes { background: var(--paper); border: 1px solid var(--line); border-radius: 9px; display: flex; flex: none; padding: 2px; }
  .modes a { padding: 0.3125rem 0.875rem; }
  .modes [aria-current], .samples [aria-current] { background: var(--accent); color: var(--paper); font-weight: 600; }
  .samples { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 1rem 0 0; }
  .samples a { background: var(--paper); border: 1px solid var(--line); min-width: 1.75rem; padding: 0 0.375rem; text-align: center; }
  .inbox { background: var(--paper); border: 1px solid var(--line); border-radius: 9px; display: flex; gap: 1rem; margin: 1rem 0 0; max-width: 60rem; padding: 0.625rem 0.875rem; }
  .inbox > b { flex: none; max-width: 12rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .inbox span { color: var(--quiet); min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .inbox span b { color: var(--ink); }
  .stage { align-items: start; display: flex; flex-wrap: wrap; gap: 1.5rem; padding: 0.75rem 0 1rem; }
  figure { flex: none; margin: 0; }
  figcaption, main h2 { margin: 0.5rem 0; }
  iframe { background: #ffffff; border: 1px solid var(--line); border-radius: 12px; display: block; }
  pre { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; margin: 0; max-width: 48rem; overflow-x: auto; padding: 1rem 1.25rem; }
  .problems { grid-column: 1 / -1; margin: 4rem auto; max-width: 44rem; }
  .problems li { font: 0.875rem/1.6 ui-monospace, Menlo, Consolas, monospace; margin: 0.75rem 0; overflow-wrap: anywhere; }
  @media (max-width: 48rem) { body { display: block; } nav { border: 0; height: auto; max-height: 40vh; position: static; } main { padding: 1rem; } }
</style>
</head>
<body>
${body}
<script>
  for (const frame of document.querySelectorAll('iframe')) {
    const fit = () => { frame.height = Math.max(320, frame.contentDocument.documentElement.scrollHeight) }
    frame.addEventListener('load', fit)
    if (frame.contentDocument?.readyState === 'complete') fit()
  }
  // A frame that is wider than its room is shown smaller. The wide one stands beside the phone if half its size fits there.
  const stage = document.querySelector('.stage')
  function show(frame, room) {
    frame.style.zoom = Math.min(1, room / frame.width)
    frame.parentElement.style.width = frame.width * frame.style.zoom + 'px'
  }
  function scale() {
    const [phone, desktop] = stage.querySelectorAll('iframe')
    const whole = stage.clientWidth
    show(phone, whole)
    const beside = whole - phone.width * phone.style.zoom - 24
    show(desktop, beside < desktop.width / 2 ? whole : beside)
  }
  if (stage) {
    scale()
    addEventListener('resize', scale)
  }
  const list = document.querySelector('nav')
  if (list) {
    list.scrollTop = Number(sessionStorage.getItem('list') ?? 0)
    addEventListener('pagehide', () => sessionStorage.setItem('list', list.scrollTop))
  }
  // The page asks every second whether a file has changed; while the preview is stopped, it keeps asking.
  setInterval(async () => {
    const answer = await fetch('/version').catch(() => undefined)
    if (answer?.ok && (await answer.text()) !== '${version}') location.reload()
  }, 1000)
</script>
</body>
</html>`
