/** The column beside a lead: callbacks, what happens next, who follows up, and the stage. */
import { html, raw } from 'hono/html'
import { capital } from '../../leads/body/tidy-text.ts'
import { ownerName, TEAM } from '../../leads/lead/staff.ts'
import { stageName } from '../../leads/lead/stages.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { stageChoices } from './buttons.ts'
import { callbackSection } from './callback-forms.ts'
import { leadLabels } from './label-forms.ts'
import type { Fields } from './lead-button.ts'
import type { LeadOnPage } from './view.ts'

export function leadForms(view: LeadOnPage, typed: Fields): Html {
  const { work } = view
  return html`<aside class="lead-side">
${callbackSection(view, typed)}
${whatHappensNext(view)}
${work ? followUpForms(view) : ''}
${leadLabels(view)}
${earlierLeads(view)}
${privacyLink(view)}
</aside>`
}

/** The start of every form: the version of the lead that the page showed. */
const form = ({ found }: LeadOnPage, content: Html): Html =>
  html`<form method="post" action="/leads/${found.lead.id}">${hidden({ seen: found.version })}${content}</form>`

function whatHappensNext(view: LeadOnPage): Html {
  const { details, found, work, steps } = view
  const { lead } = found
  const items = details.next.map(({ at, full, what }, index) => {
    const step = steps[index]
    const skippable = work && step?.open && step.message !== null && lead.pausedAt === null
    return html`<li><span class="next-what">${what}</span> <time class="quiet" title="${full}">${at}</time>${
      skippable
        ? form(
            view,
            html`${hidden({ step: step.index })}<button class="plain small" name="do" value="skip" aria-label="Skip: ${what}">Skip</button>`,
          )
        : ''
    }</li>`
  })
  const nothing =
    lead.stage === 'closed'
      ? 'The lead is closed.'
      : details.paused !== null
        ? `The follow-up has been paused since ${details.paused}, and stays paused until someone resumes it.`
        : 'Nothing is planned. The lead stays as it is until someone acts.'
  const waits = details.waits ? html`<p class="quiet">The follow-up waits until the callback is done. Then:</p>` : ''
  return html`<section class="panel" data-part="next" aria-labelledby="next"><h2 id="next">What happens next</h2>${items.length === 0 ? '' : waits}${
    items.length === 0 ? html`<p class="quiet">${nothing}</p>` : stepList(items)
  }${work && lead.stage !== 'closed' ? pauseForm(view) : ''}</section>`
}

/** The next steps; later steps are folded. */
function stepList(items: readonly Html[]): Html {
  const later = items.slice(STEPS)
  return html`<ol class="next-steps">${items.slice(0, STEPS)}</ol>${
    later.length === 0
      ? ''
      : html`<details><summary>${later.length} more</summary><ol class="next-steps">${later}</ol></details>`
  }`
}

const STEPS = 3

function pauseForm(view: LeadOnPage): Html {
  return form(
    view,
    view.found.lead.pausedAt !== null
      ? html`<button class="secondary small" name="do" value="resume" aria-label="Resume the follow-up">Resume</button>`
      : html`<button class="secondary small" name="do" value="pause" aria-label="Pause the follow-up">Pause</button>`,
  )
}

/** A menu whose buttons act immediately. Its label, `name`, is the current value. */
const menu = (view: LeadOnPage, { part, name, content }: { part: string; name: Html; content: Html }): Html =>
  html`<details class="menu" data-part="${part}"><summary>${name}</summary>${form(view, content)}</details>`

function followUpForms(view: LeadOnPage): Html {
  const { found, choices, deps } = view
  const { lead } = found
  const others = choices.filter(({ id }) => id !== (lead.owner ?? TEAM))
  const assign =
    others.length === 0
      ? ''
      : menu(view, {
          part: 'assign',
          name: html`Counselor <strong>${ownerName(lead.owner, deps.settings.admissions)}</strong>`,
          content: html`${hidden({ do: 'assign' })}<p class="days">${others.map(
            ({ id, name }, index) =>
              html`<button class="secondary small" name="counselor" value="${id}"${index === 0 ? raw(' data-key="a"') : ''} aria-label="Assign to ${name}">${name}</button>`,
          )}</p>`,
        })
  const closed = lead.stage === 'closed'
  const stage = menu(view, {
    part: 'stage',
    name: closed ? html`Open again as …` : html`Stage <strong>${capital(stageName(lead.stage))}</strong>`,
    content: html`${hidden({ do: 'stage' })}<p class="days">${stageChoices(lead).map(
      one =>
        html`<button class="secondary small" name="stage" value="${one}" aria-label="${closed ? 'Open again as' : 'Change the stage to'} ${stageName(one)}">${capital(stageName(one))}</button>`,
    )}</p>`,
  })
  return html`<section class="panel side-forms" data-part="forms" aria-label="Counselor and stage">${assign}${stage}</section>`
}

function earlierLeads({ details }: LeadOnPage): Html {
  if (details.earlier.length === 0) return html``
  return html`<section class="panel" data-part="earlier" aria-labelledby="earlier"><h2 id="earlier">They wrote before</h2><ul>${details.earlier.map(
    ({ id, words }) => html`<li><a href="/leads/${id}">${capital(words)}</a></li>`,
  )}</ul></section>`
}

const privacyLink = ({ found, privacy }: LeadOnPage): Html | '' =>
  privacy
    ? html`<p class="small screen"><a href="/privacy/people/${found.lead.id}">Export or erase this person</a> · <a href="/leads/${found.lead.id}/keep">Keep longer</a></p>`
    : ''
