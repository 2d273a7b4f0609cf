import type { FaultAction, Outages } from '../ports.ts';
import { element, findById } from './element.ts';
import { formatTime } from './format-time.ts';
import { postAction } from './requests.ts';
import { keepCurrent, sandboxAhead, sandboxNow } from './sandbox-time.ts';
import type { PageStore } from './store.ts';

interface FaultButton {
  readonly action: FaultAction;
  readonly label: string;
  /** What it does, for who points at it or cannot see it. */
  readonly hint: string;
  readonly down?: keyof Outages;
}

const faultButtons: readonly FaultButton[] = [
  { action: 'repeat', label: 'Repeat delivery', hint: 'Sends the last delivery again, byte for byte' },
  { action: 'break_signature', label: 'Break signature', hint: 'Sends a vote with a forged signature' },
  { action: 'unknown_event', label: 'Unknown event', hint: 'Sends a signed event of a kind that nobody knows' },
  { action: 'discord_down', label: 'Discord down', hint: 'For 10 seconds', down: 'discord' },
  { action: 'service_down', label: 'Service down', hint: 'For 10 seconds', down: 'service' },
  { action: 'move_clock', label: '12 hours on', hint: 'Moves the clock of everything in here' },
];

/** Buttons that go wrong on purpose, and the time inside the sandbox. */
export function startFaultPanel(store: PageStore): void {
  const { state } = store;
  const result = findById('trouble-result');
  const clock = findById('sandbox-time');

  async function inject(action: FaultAction): Promise<void> {
    result.textContent = '…';
    const response = await postAction('/page/trouble', { what: action, userId: state.userId });
    result.textContent = response.error ?? response.said;
    if (response.error === undefined) store.tried('trouble');
  }

  const buttons = faultButtons.map(({ action, label, hint, down }) => {
    const press = () => {
      if (down === undefined || !state.outages[down]) void inject(action);
    };
    const attributes = { type: 'button', class: 'button secondary trouble', title: hint, 'data-trouble': action };
    return { button: element('button', { ...attributes, onclick: press }, label), down };
  });
  findById('troubles').replaceChildren(...buttons.map(({ button }) => button));

  function renderOutages(): void {
    for (const { button, down } of buttons) {
      const isDown = down !== undefined && state.outages[down];
      button.classList.toggle('down', isDown);
      button.ariaDisabled = isDown ? 'true' : null;
    }
  }

  function renderClock(): void {
    if (!state.loaded) return;
    const { speed } = state.time;
    const ahead = sandboxAhead();
    const parts = [speed === 1 ? '' : `${speed} times as fast`, ahead > 60_000 ? `${inWords(ahead)} ahead` : ''];
    const now = `${formatTime(sandboxNow(), 'd')} ${formatTime(sandboxNow(), 't')}`;
    const text = [now, ...parts.filter(Boolean)].join(', ');
    if (clock.textContent !== text) clock.textContent = text;
  }

  keepCurrent(renderClock);
  store.subscribe(({ kind }) => {
    if (kind !== 'everything' && kind !== 'conditions') return;
    renderOutages();
    renderClock();
  });
}

function inWords(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.round(ms / 60_000)} minutes`;
  return hours < 48 ? `${Math.round(hours)} hours` : `${Math.round(hours / 24)} days`;
}
