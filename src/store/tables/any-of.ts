/** Lists of ids in queries. */

/** A list for `in`. PostgreSQL accepts no empty list, so an empty one becomes a list with 0, which is never an id. */
export const anyOf = (ids: Iterable<number>): number[] => [0, ...ids]
