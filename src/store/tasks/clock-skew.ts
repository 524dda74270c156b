/**
 * How far the clocks of the processes on one database may differ, in milliseconds. A moment in the future by no more
 * than this comes from another process; by more than this, from before a clock was set back.
 */
export const CLOCK_SKEW = 5_000
