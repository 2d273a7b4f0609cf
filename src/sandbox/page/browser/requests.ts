import type { ActionInput, ActionOutput, ActionPath } from '../page-actions.ts';
import type { PageEvent, TimedPageEvent } from '../snapshot.ts';
import type { PageStore } from './store.ts';

/** The response of the sandbox; `error` if it rejected the request. */
type Result<Body> = (Body & { readonly error?: undefined }) | { readonly error: string };

/** Sends an action to the sandbox. Returns an error instead of throwing. */
export async function postAction<Path extends ActionPath>(
  path: Path,
  body: ActionInput<Path>,
): Promise<Result<ActionOutput<Path>>> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Result<ActionOutput<Path>>;
  } catch {
    return { error: 'The sandbox is unreachable. Is it still running?' };
  }
}

/** Subscribes to the event stream; the browser reconnects automatically. */
export function subscribeToEvents(store: PageStore): void {
  const source = new EventSource('/page/events');
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const { now, ...event } = JSON.parse(data) as TimedPageEvent;
    // Another sandbox has taken the place of the one that this page was opened for.
    if (event.kind === 'full_state' && store.state.loaded && event.startedAt !== store.state.startedAt)
      location.reload();
    store.receive(event as PageEvent);
    store.synchronize(now);
    if (!store.state.live) store.live(true);
  });
  source.addEventListener('error', () => store.live(false));
  // After the machine has slept, or the page was in the background.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void synchronize(store);
  });
}

async function synchronize(store: PageStore): Promise<void> {
  const response = await postAction('/page/time', {});
  if (response.error === undefined) store.synchronize(response.now);
}
