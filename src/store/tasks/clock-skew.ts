/**
 * How far the clocks of the processes on one database may differ, in milliseconds. A moment that is too late by no
 * more than this comes from another process; one that is later comes from before a clock was set back.
 */
export const CLOCK_SKEW = 5_000
