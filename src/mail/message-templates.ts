/** Templates of messages: each becomes a subject, a plain-text part and an HTML part. */

import type { Brand } from '../content/brand.ts'
import type { ContentFolder } from '../content/content-files.ts'
import { buttonsAsTables, inlineStyles } from '../content/mail-html.ts'
import { plainText } from '../content/plain-text.ts'
import { templateLoader } from '../content/templates.ts'

/** `preheader`: the line that mail programs show beside the subject. */
export type Rendered = { subject: string; preheader: string; text: string; html: string }

/** Renders one message. The values of its variables show as text, never as markup. */
export type Template = (variables: object) => Rendered

/** Loads a file in a language, by default English. The samples are variables for trying it out. */
export type LoadTemplate = (file: string, samples: () => object[], language?: string) => Template

export type LoadedTemplate = { template: Template; samples: () => object[] }

/** Like `templateLoader`, in the layout of messages. */
export function messageTemplateLoader(contentDirs: ContentFolder[], brand: Brand) {
  const load = templateLoader(contentDirs, {
    layout: 'layouts/mail.html',
    lines: ['subject', 'preheader'],
    frame: { brand },
    finish: html => inlineStyles(buttonsAsTables(html)),
  })
  return (name: string, samples: object[], language?: string): Template => {
    const render = load(name, samples, language)
    return variables => {
      const { head, body, html } = render(variables)
      return { subject: head.subject, preheader: head.preheader, text: plainText(body), html }
    }
  }
}
