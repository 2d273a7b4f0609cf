/**
 * Puts a recording in the place of the server: what the page sends with `fetch`, and its `EventSource`. Imported before the page's own
 * script, which is unchanged.
 */
import type { Recording } from '../recording.ts';
import { Player } from './player.ts';

const banner = document.querySelector<HTMLElement>('.replay');
const notice = document.querySelector<HTMLElement>('.replay-notice');
const request = globalThis.fetch;
const events = new EventTarget();

async function load(): Promise<Player> {
  const response = await request('recording.json');
  const recording = (await response.json()) as Recording;
  const send = (event: object) => events.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }));
  return new Player(recording, send, (text) => {
    if (notice) notice.textContent = text;
    // Again also if it is shown already.
    banner?.animate?.([{ filter: 'brightness(1.6)' }, { filter: 'none' }], 600);
  });
}

const loading = load();

globalThis.fetch = async (input, options) => {
  if (typeof input !== 'string' || !input.startsWith('/page/')) return request(input, options);
  const player = await loading;
  return Response.json(await player.perform(input, JSON.parse(options?.body as string) as Record<string, unknown>));
};

globalThis.EventSource = class {
  constructor() {
    void loading.then((player) => player.start());
  }
  addEventListener = events.addEventListener.bind(events);
} as unknown as typeof EventSource;

/** Links to the other servers of a sandbox, which only run on the machine of the recording. */
function isLocal({ hostname, pathname, origin }: HTMLAnchorElement): boolean {
  return pathname === '/console' || (hostname === '127.0.0.1' && origin !== location.origin);
}

// Links are also in the shadow roots of Discord's components.
document.addEventListener(
  'click',
  (event) => {
    const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement);
    if (link === undefined || !isLocal(link)) return;
    event.preventDefault();
    void loading.then((player) => player.refuse());
  },
  { capture: true },
);

document.querySelector('.replay-again')?.addEventListener('click', () => location.reload());
