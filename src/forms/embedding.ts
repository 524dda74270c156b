/** Which other sites may show a form, in an iframe or as an element. */
import type { Headers } from '../http/router.ts'

/** 'any', or the origins of sites, such as `https://www.example.edu`. */
type EmbedOn = 'any' | readonly string[]

/** The directive `frame-ancestors` of a policy (Content Security Policy Level 3). */
export const frameAncestors = (embedOn: EmbedOn): string =>
  `frame-ancestors ${embedOn === 'any' ? '*' : ["'self'", ...embedOn].join(' ')}`

/**
 * Lets the script of a page read the form, unless the page is on a site that may not embed it: then
 * its element keeps showing its link. `own` is an origin of ours, which the header names instead. What it
 * says depends on the Origin header, as the response must say (Vary).
 */
export const readableBy = (embedOn: EmbedOn, own: string, origin: string | undefined): Headers =>
  embedOn === 'any'
    ? {}
    : { 'Access-Control-Allow-Origin': origin !== undefined && embedOn.includes(origin) ? origin : own }
