import type { FaultKind, Outages } from '../ports.ts';
import { element, find } from './element.ts';
import { formatTime } from './moments.ts';
import { ask } from './requests.ts';
import { keepCurrent, sandboxAhead, sandboxNow } from './sandbox-time.ts';
import type { PageStore } from './store.ts';

interface Offer {
  readonly what: FaultKind;
  readonly label: string;
  /** What it does, for who points at it or cannot see it. */
  readonly hint: string;
  readonly down?: keyof Outages;
}

const offers: readonly Offer[] = [
  { what: 'repeat', label: 'Repeat delivery', hint: 'Sends the last delivery again, byte for byte' },
  { what: 'break_signature', label: 'Break signature', hint: 'Sends a vote with a forged signature' },
  { what: 'unknown_event', label: 'Unknown event', hint: 'Sends a signed event of a kind that nobody knows' },
  { what: 'discord_down', label: 'Discord down', hint: 'For 10 seconds', down: 'discord' },
  { what: 'service_down', label: 'Service down', hint: 'For 10 seconds', down: 'service' },
  { what: 'move_clock', label: '12 hours on', hint: 'Moves the clock of everything in here' },
];

/** Buttons that go wrong on purpose, and the time inside the sandbox. */
export function startTrouble(store: PageStore): void {
  const { state } = store;
  const result = find('trouble-result');
  const clock = find('sandbox-time');

  async function make(what: FaultKind): Promise<void> {
    result.textContent = '…';
    const answer = await ask('/page/trouble', { what, userId: state.userId });
    result.textContent = answer.error ?? answer.said;
    if (answer.error === undefined) store.tried('trouble');
  }

  const made = offers.map(({ what, label, hint, down }) => {
    const press = () => {
      if (down === undefined || !state.outages[down]) void make(what);
    };
    const attributes = { type: 'button', class: 'button secondary trouble', title: hint, 'data-trouble': what };
    return { button: element('button', { ...attributes, onclick: press }, label), down };
  });
  find('troubles').replaceChildren(...made.map(({ button }) => button));

  function drawOutages(): void {
    for (const { button, down } of made) {
      const isDown = down !== undefined && state.outages[down];
      button.classList.toggle('down', isDown);
      button.ariaDisabled = isDown ? 'true' : null;
    }
  }

  function drawClock(): void {
    if (!state.loaded) return;
    const { speed } = state.time;
    const ahead = sandboxAhead();
    const parts = [speed === 1 ? '' : `${speed} times as fast`, ahead > 60_000 ? `${inWords(ahead)} ahead` : ''];
    const now = `${formatTime(sandboxNow(), 'd')} ${formatTime(sandboxNow(), 't')}`;
    const text = [now, ...parts.filter(Boolean)].join(', ');
    if (clock.textContent !== text) clock.textContent = text;
  }

  keepCurrent(drawClock);
  store.subscribe(({ kind }) => {
    if (kind !== 'everything' && kind !== 'conditions') return;
    drawOutages();
    drawClock();
  });
}

function inWords(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.round(ms / 60_000)} minutes`;
  return hours < 48 ? `${Math.round(hours)} hours` : `${Math.round(hours / 24)} days`;
}
