/** Microsoft Teams: a workflow that posts Adaptive Cards to a channel. */
import { type ChatMessage, chatEvents, chatFields, chatRequest, chosenInChat, quietInChat } from './chat-message.ts'
import type { DestinationKind } from './destination-kind.ts'

const OFF = 'the workflow is off, or its URL has changed. Look at it in Power Automate, and enter the URL that it shows'
const GONE = 'the workflow is gone, so the destination is switched off. Make a new one, enter its URL, and switch it on'

export const teams: DestinationKind = {
  name: 'Microsoft Teams',
  about: 'New leads, leads that wait too long, and the figures of each week, in a channel.',
  guide: 'docs/teams.md',
  events: chatEvents,
  quiet: quietInChat,
  fields: chatFields,
  chosen: chosenInChat,
  inputs: [
    {
      name: 'url',
      label: 'Workflow URL',
      hint: 'The workflow “Send webhook alerts to a channel” shows it. It is stored encrypted, and not shown again.',
      secret: true,
    },
  ],
  problems: ({ url = '' }) => ({
    url: isRetired(url)
      ? 'Microsoft has retired the connectors with such URLs. In the channel, choose ⋯, Workflows, “Send webhook alerts to a channel”, and enter the URL that it shows.'
      : undefined,
  }),
  test: 'an invented lead',
  unconfirmed: 'Microsoft responds before the workflow posts the message: look into the channel.',
  tell: async (told, send) => send(chatRequest(told, cardOf)),
  verdict: ({ status }) => {
    if (status >= 200 && status < 300) return 'delivered'
    return status === 404 ? 'gone' : 'failed'
  },
  responses: {
    401: OFF,
    403: OFF,
    404: GONE,
    410: GONE,
    429: 'too much at once: Teams accepts about four messages a second. There is nothing to do: we wait as long as it asks',
  },
}

function isRetired(url: string): boolean {
  const { hostname = '' } = URL.parse(url) ?? {}
  return /(^|\.)(webhook\.office\.com|outlook\.office(365)?\.com)$/.test(hostname)
}

/** Teams recognizes Markdown in text blocks and facts, but not in the runs of a rich text block. */
const cardOf = ({ title, facts, link }: ChatMessage) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          { type: 'TextBlock', text: title, size: 'Medium', weight: 'Bolder', wrap: true },
          ...facts.map(({ name, value }) => ({
            type: 'RichTextBlock',
            inlines: [
              { type: 'TextRun', text: `${name}: `, weight: 'Bolder' },
              { type: 'TextRun', text: value },
            ],
          })),
        ],
        actions: link === undefined ? [] : [{ type: 'Action.OpenUrl', title: link.words, url: link.url }],
      },
    },
  ],
})
