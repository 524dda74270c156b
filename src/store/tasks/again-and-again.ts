/** A task that has failed this often does not fail by chance, so people are notified. */
export const AGAIN_AND_AGAIN = 3
