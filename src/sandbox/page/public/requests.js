/**
 * Asks the sandbox to do something.
 *
 * @param {string} path
 * @param {object} body
 * @returns {Promise<object>} the answer; `{ error }` where it was refused
 */
export async function ask(path, body) {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return await response.json();
  } catch {
    return { error: 'The sandbox cannot be reached. Is it still running?' };
  }
}

/** Follows what happens for as long as the page is open; the browser reconnects by itself. */
export function follow(store) {
  const source = new EventSource('/page/events');
  source.addEventListener('message', ({ data }) => {
    store.receive(JSON.parse(data));
    if (!store.state.live) store.live(true);
  });
  source.addEventListener('error', () => store.live(false));
}
