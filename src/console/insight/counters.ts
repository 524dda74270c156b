/** Key figures in large type, each below its title, as on Insight and in the weekly report. */
import { html } from 'hono/html'
import type { Html } from '../frame/layout.ts'

/** `more` says something about the figure in small letters below it, such as its share; it may be empty. */
type Counter = { title: string; value: string | Html; more?: string }

export const counterList = (counters: readonly Counter[]): Html =>
  html`<dl class="counters">${counters.map(
    ({ title, value, more = '' }) =>
      html`<div class="counter"><dt>${title}</dt><dd><strong>${value}</strong>${more === '' ? '' : html` <span>${more}</span>`}</dd></div>`,
  )}</dl>`
