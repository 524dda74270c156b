/** What we use of a package that brings no types. */
declare module 'http-link-header' {
  const LinkHeader: { parse(header: string): { refs: ({ uri: string } & Record<string, string>)[] } }
  export default LinkHeader
}
