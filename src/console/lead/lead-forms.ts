/** The column beside a lead: callbacks, what happens next, and who follows up, in which stage. */
import { html } from 'hono/html'
import { reasonsToClose } from '../../lead-actions/close.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { endedByItself, stageName } from '../../leads/lead/stages.ts'
import { option } from '../frame/form-fields.ts'
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
${work ? followUpForms(view, typed) : ''}
${leadLabels(view)}
${earlierLeads(view)}
${privacyLink(view)}
</aside>`
}

/** The start of every form: what was on the page when it was sent. */
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
        ? `The follow-up is paused since ${details.paused}, until someone resumes it.`
        : 'Nothing is planned. The lead stays as it is until someone acts.'
  const waits = details.waits ? html`<p class="quiet">The follow-up waits until the callback is done. Then:</p>` : ''
  return html`<section class="panel" aria-labelledby="next"><h2 id="next">What happens next</h2>${items.length === 0 ? '' : waits}${
    items.length === 0 ? html`<p class="quiet">${nothing}</p>` : html`<ol class="next-steps">${items}</ol>`
  }${work && lead.stage !== 'closed' ? pauseForm(view) : ''}</section>`
}

function pauseForm(view: LeadOnPage): Html {
  return form(
    view,
    view.found.lead.pausedAt !== null
      ? html`<button class="secondary small" name="do" value="resume" aria-label="Resume the follow-up">Resume</button>`
      : html`<button class="secondary small" name="do" value="pause" aria-label="Pause the follow-up">Pause</button>`,
  )
}

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
