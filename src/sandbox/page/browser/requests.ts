import type { PageEvent } from '../protocol.ts';
import type { PageStore } from './store.ts';

/** What the sandbox answers; `error` where it refused. */
type Result<Body> = (Body & { readonly error?: undefined }) | { readonly error: string };

/** What can be asked of the sandbox, and what it answers. */
interface Responses {
  '/page/commands': { readonly interactionId: string };
  '/page/components': { readonly interactionId: string };
  '/page/modals': { readonly interactionId: string };
  '/page/completions': { readonly choices: readonly { readonly name: string; readonly value: string | number }[] };
  '/page/trouble': { readonly said: string };
  '/page/votes':
    | { readonly outcome: 'recorded' | 'too_soon'; readonly nextVoteAt: number }
    | { readonly outcome: 'refused'; readonly reason: string };
}

/** Asks the sandbox to do something. */
export async function postAction<Path extends keyof Responses>(
  path: Path,
  body: object,
): Promise<Result<Responses[Path]>> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Result<Responses[Path]>;
  } catch {
    return { error: 'The sandbox cannot be reached. Is it still running?' };
  }
}

/** Follows what happens for as long as the page is open; the browser reconnects by itself. */
export function subscribeToEvents(store: PageStore): void {
  const source = new EventSource('/page/events');
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    store.receive(JSON.parse(data) as PageEvent);
    if (!store.state.live) store.live(true);
  });
  source.addEventListener('error', () => store.live(false));
}
