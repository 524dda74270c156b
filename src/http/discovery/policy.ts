/** Who may use the public operations and what they are not for, word for word in every document. */

/** How a sentence ends that says when automated agents may call. */
export const AGENT_RULE =
  'only on explicit user intent, with answers the user gave, and only for genuine follow-up requests of students, employers or partners'

/** What no public interface has. */
export const NOT_OFFERED = [
  'creating student accounts',
  'tuition payments',
  'enrollment actions',
  'status checks',
  'OAuth',
  'public API keys',
  'a public MCP server',
  'event delivery to API clients',
]
