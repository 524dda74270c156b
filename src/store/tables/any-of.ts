/** Lists of ids in queries. */

/** A list for `in`, which PostgreSQL does not accept if it is empty: then it contains 0, which is no one's id. */
export const anyOf = (ids: Iterable<number>): number[] => [0, ...ids]
