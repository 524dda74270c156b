/** Who may use the public operations, and what these do not offer, in the same words in every document. */

/** The end of a sentence that says when automated agents may call. */
export const AGENT_RULE =
  'only on explicit user intent, with answers the user gave, and only for genuine follow-up requests of students, employers or partners'

/** What an agent must do before it submits. */
export const SHOW_RULE =
  'Show the person the inquiry, unless they have approved exactly this wording. Wording that you put together from what they said is not approved yet.'

/** Things that no public interface offers. */
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
