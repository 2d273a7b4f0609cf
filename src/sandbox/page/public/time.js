/** The styles of `<t:…:style>` that show a moment as such. Discord: "Message Formatting", timestamp styles. */
const styles = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
};

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** @param {number} at ms since the epoch */
export function formatTime(at, style) {
  return new Intl.DateTimeFormat(undefined, styles[style] ?? styles.f).format(at);
}

/**
 * "in 3 hours", "2 minutes ago".
 *
 * @param {number} at ms since the epoch
 * @param {number} now ms since the epoch
 */
export function formatRelative(at, now) {
  const seconds = Math.round((at - now) / 1000);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'always' }).format(Math.round(seconds / size), unit);
}

const apart = { now: 0, at: 0, speed: 1 };

/**
 * From now on it is this time in the sandbox.
 *
 * @param {{ now: number, speed: number }} time `now` in ms since the epoch
 */
export function setSandboxTime({ now, speed }) {
  Object.assign(apart, { now, speed, at: performance.now() });
}

/** What time it is in the sandbox (ms since the epoch), which is not what it is outside. */
export function sandboxNow() {
  return apart.now + (performance.now() - apart.at) * apart.speed;
}

/** Calls `draw` once a second. */
export function keepCurrent(draw) {
  setInterval(() => draw(), 1000);
}

/** Brings every relative time on the page up to date, once a second. */
export function keepTimesCurrent(store) {
  function draw() {
    for (const each of document.querySelectorAll('time[data-relative]')) {
      const text = formatRelative(Number(each.dataset.relative), sandboxNow());
      if (each.textContent !== text) each.textContent = text;
    }
  }
  keepCurrent(draw);
  store.subscribe((kind) => {
    if (kind === 'conditions') draw();
  });
}
