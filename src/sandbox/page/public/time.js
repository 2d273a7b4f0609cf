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

/** Brings every relative time on the page up to date, once a second. */
export function keepTimesCurrent() {
  setInterval(() => {
    for (const each of document.querySelectorAll('time[data-relative]')) {
      const text = formatRelative(Number(each.dataset.relative), Date.now());
      if (each.textContent !== text) each.textContent = text;
    }
  }, 1000);
}
