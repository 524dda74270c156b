/** The column beside a lead: what happens next, and who follows up, in which stage. */
import { html, raw } from 'hono/html'
import { reasonsToClose } from '../../lead-actions/close.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { endedByItself, stageName } from '../../leads/lead/stages.ts'
import { option } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { stageChoices } from './buttons.ts'
import { nextSchoolDays } from './call-times.ts'
import { leadLabels } from './label-forms.ts'
import type { Fields } from './lead-button.ts'
import type { LeadOnPage } from './view.ts'

export function leadForms(view: LeadOnPage, typed: Fields): Html {
  const { work } = view
  return html`<aside class="lead-side">
${whatHappensNext(view, typed)}
${work ? followUpForms(view, typed) : ''}
${leadLabels(view)}
${earlierLeads(view)}
${privacyLink(view)}
</aside>`
}

/** The start of every form: what was on the page when it was sent. */
const form = ({ found }: LeadOnPage, content: Html, look = ''): Html =>
  html`<form method="post" action="/leads/${found.lead.id}" class="${look}">${hidden({ seen: found.version })}${content}</form>`

function whatHappensNext(view: LeadOnPage, typed: Fields): Html {
  const { details, found, work, steps } = view
  const { lead } = found
  const offset = lead.pausedUntil === null ? 0 : 1
  const items = details.next.map(({ at, full, what }, index) => {
    const step = steps[index - offset]
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
        ? `The follow-up is paused since ${details.paused}, until someone resumes it.`
        : 'Nothing is planned. The lead stays as it is until someone acts.'
  return html`<section class="panel" aria-labelledby="next"><h2 id="next">What happens next</h2>${
    items.length === 0 ? html`<p class="quiet">${nothing}</p>` : html`<ol class="next-steps">${items}</ol>`
  }${work && lead.stage !== 'closed' ? pauseForms(view, typed) : ''}</section>`
}

function pauseForms(view: LeadOnPage, typed: Fields): Html {
  const paused = view.found.lead.pausedAt !== null
  const button = paused
    ? html`<button class="secondary small" name="do" value="resume" aria-label="Resume the follow-up">Resume</button>`
    : html`<button class="secondary small" name="do" value="pause" aria-label="Pause the follow-up">Pause</button>`
  return html`<div class="pause-forms">${form(view, button)}
<details ${typed['do'] === 'call again' ? raw('open') : ''}><summary>Call again on …</summary>
<p class="hint">Until then the follow-up is paused. Then the counselor gets an email.</p>
${form(
  view,
  html`${hidden({ do: 'call again' })}${nextSchoolDays({ ...view.deps, now: view.now }, DAYS).map(
    ({ day, name }) =>
      html`<button class="secondary small" name="day" value="${day}" aria-label="${name}: call again">${name}</button>`,
  )}`,
  'days',
)}
${form(
  view,
  html`<label for="call-again">Another day</label><input id="call-again" name="day" type="date" required value="${typed['day'] ?? ''}">
<label for="time">Time at the school <span class="quiet">(optional)</span></label><input id="time" name="time" type="time" value="${typed['time'] ?? ''}">
<button class="secondary small" name="do" value="call again" aria-label="Set the day to call again">Set</button>`,
)}</details></div>`
}

/** How many days one tap can choose; the field below has the others. */
const DAYS = 5

function followUpForms(view: LeadOnPage, typed: Fields): Html {
  const { found, choices } = view
  const { lead } = found
  const owner = typed['counselor'] ?? lead.owner ?? 'team'
  const assign =
    choices.length === 0
      ? ''
      : form(
          view,
          html`<label for="counselor">Counselor</label><div class="inline"><select id="counselor" name="counselor">${choices.map(
            ({ id, name }) => option(id, name, id === owner),
          )}</select><button class="secondary" name="do" value="assign">Assign</button></div>`,
        )
  const stage = form(
    view,
    html`<label for="stage">${lead.stage === 'closed' ? 'Open again as' : 'Stage'}</label><div class="inline"><select id="stage" name="stage" required><option value="">Choose a stage …</option>${stageChoices(
      lead,
    ).map(one =>
      option(one, capital(stageName(one)), one === typed['stage']),
    )}</select><button class="secondary" name="do" value="stage" aria-label="Change the stage">Change</button></div>`,
  )
  const open = lead.stage !== 'closed' || endedByItself(lead.closedReason)
  const close = open
    ? form(
        view,
        html`<label for="reason">Close<span class="hidden">: why</span></label><div class="inline"><select id="reason" name="reason" required><option value="">Choose why …</option>${reasonsToClose.map(
          one => option(one, capital(one), one === typed['reason']),
        )}</select><button class="secondary" name="do" value="close" aria-label="Close the lead">Close</button></div>`,
      )
    : ''
  return html`<section class="panel side-forms" aria-label="Counselor and stage">${assign}${stage}${close}</section>`
}

function earlierLeads({ details }: LeadOnPage): Html {
  if (details.earlier.length === 0) return html``
  return html`<section class="panel" aria-labelledby="earlier"><h2 id="earlier">They wrote before</h2><ul>${details.earlier.map(
    ({ id, words }) => html`<li><a href="/leads/${id}">${capital(words)}</a></li>`,
  )}</ul></section>`
}

const privacyLink = ({ found, privacy }: LeadOnPage): Html | '' =>
  privacy
    ? html`<p class="small screen"><a href="/privacy/people/${found.lead.id}">Export or erase this person</a> · <a href="/leads/${found.lead.id}/keep">Keep longer</a></p>`
    : ''
