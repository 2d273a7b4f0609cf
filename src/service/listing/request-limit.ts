import { minute } from '../../platform/durations.ts';

/** Document, section 8: how many requests a key may make in each window. */
export const requestLimit = 120;
/** How long a window is (ms). */
export const requestWindow = 1 * minute;
