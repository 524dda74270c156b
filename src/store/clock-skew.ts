/**
 * By how much the clocks of those who share a database may differ, in milliseconds. A moment that is
 * too late by no more is another's; by more, it is from before a clock was set back.
 */
export const CLOCK_SKEW = 5_000
