import type { ActionInput, ActionOutput, DiscordActions } from '../page-actions.ts';
import type { Actions } from '../page-extension.ts';
import type { EventTime, PageEvent } from '../snapshot.ts';
import type { PageStore } from './store.ts';

/** The name of the program that serves the page, for messages: "local Discord". */
export const program = document.documentElement.dataset['program'] ?? '';

/** The response of the server; `error` if it rejected the request. */
type Result<Body> = (Body & { readonly error?: undefined }) | { readonly error: string };

/** A function that sends actions to the server. It returns an error instead of throwing. */
export function actionSender<All extends Actions>() {
  return async <Path extends keyof All & string>(
    path: Path,
    body: ActionInput<All, Path>,
  ): Promise<Result<ActionOutput<All, Path>>> => {
    try {
      const response = await fetch(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      return (await response.json()) as Result<ActionOutput<All, Path>>;
    } catch {
      return { error: `The ${program} is unreachable. Is it still running?` };
    }
  };
}

export const postAction = actionSender<DiscordActions>();

/** Subscribes to the event stream; the browser reconnects automatically. */
export function subscribeToEvents(store: PageStore): void {
  const source = new EventSource('/page/events');
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const { now, ...event } = JSON.parse(data) as PageEvent & EventTime;
    // Another server has taken the place of the one that this page was opened for.
    if (event.kind === 'full_state' && store.state.loaded && event.startedAt !== store.state.startedAt)
      location.reload();
    store.synchronize(now);
    store.receive(event as PageEvent);
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
