import { formatRelative } from './format-time.ts';
import type { PageStore } from './store.ts';

const apart = { now: 0, at: 0, speed: 1 };

/**
 * From now on it is this time in the sandbox.
 *
 * @param time `now` in ms since the epoch
 */
export function setSandboxTime({ now, speed }: { readonly now: number; readonly speed: number }): void {
  Object.assign(apart, { now, speed, at: performance.now() });
}

/** What time it is in the sandbox (ms since the epoch), which is not what it is outside. */
export function sandboxNow(): number {
  return apart.now + (performance.now() - apart.at) * apart.speed;
}

/** By how much the sandbox is ahead of the time outside (ms). */
export function sandboxAhead(): number {
  return sandboxNow() - (performance.timeOrigin + performance.now());
}

/** Calls `draw` once a second. */
export function keepCurrent(draw: () => void): void {
  setInterval(() => draw(), 1000);
}

/** Brings every relative time on the page up to date, once a second. */
export function keepTimesCurrent(store: PageStore): void {
  function draw(): void {
    for (const each of document.querySelectorAll<HTMLElement>('time[data-relative]')) {
      const text = formatRelative(Number(each.dataset['relative']), sandboxNow());
      if (each.textContent !== text) each.textContent = text;
    }
  }
  keepCurrent(draw);
  store.subscribe(({ kind }) => {
    if (kind === 'conditions') draw();
  });
}
