/** A task that has failed this often does not fail by chance: people are told. */
export const AGAIN_AND_AGAIN = 3
