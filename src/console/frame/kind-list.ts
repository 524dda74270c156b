/** The kinds of something that can be added: the name of each first, so that people find theirs at a glance. */
import { html } from 'hono/html'
import type { Html } from './layout.ts'

type Kind = { name: string; about: string; href: string }

export const kindList = (kinds: readonly Kind[]): Html =>
  html`<ul class="plain-list">${kinds.map(({ name, about, href }) => html`<li><span><strong>${name}</strong><br><span class="quiet small">${about}</span></span><a class="button secondary small" href="${href}">Add<span class="hidden"> ${name}</span></a></li>`)}</ul>`
