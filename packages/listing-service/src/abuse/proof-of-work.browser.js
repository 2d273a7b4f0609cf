/*
 * The widget has its worker in a file, since the pages allow no inline scripts. A browser that goes back shows the page as
 * it was, but its challenge was used.
 */
globalThis.$altcha.algorithms.set('PBKDF2/SHA-256', () => new Worker('/assets/altcha/worker.js'));
globalThis.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
