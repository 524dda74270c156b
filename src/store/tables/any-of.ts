/** Lists of ids in queries. */

/** A list for `in`, which PostgreSQL does not let be empty: nothing has the id 0. */
export const anyOf = (ids: Iterable<number>): number[] => [0, ...ids]
