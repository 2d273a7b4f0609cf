import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { wallClock } from '../../../platform/wall-clock.ts';

/** Other systems than Linux tell the time of the start, which is as precise as their clock (ms). */
const precisionMs = 10_000;

/** Names the present start of this machine: different after a crash of the machine, the same in all its containers. */
export function bootName(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return String(Math.round((wallClock.now() - uptime() * 1_000) / precisionMs));
  }
}
