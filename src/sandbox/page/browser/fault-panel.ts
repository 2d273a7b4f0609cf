import { second } from '../../../platform/durations.ts';
import type { FaultAction, Outages } from '../ports.ts';
import { findById, html, nothing, render } from './element.ts';
import { formatLead, formatTime } from './format-time.ts';
import { postAction } from './requests.ts';
import type { PageStore } from './store.ts';

interface FaultButton {
  readonly action: FaultAction;
  readonly label: string;
  /** The tooltip. */
  readonly hint: string;
  readonly down?: keyof Outages;
}

const faultButtons: readonly FaultButton[] = [
  { action: 'repeat', label: 'Repeat delivery', hint: 'Sends the last delivery again, byte for byte' },
  { action: 'break_signature', label: 'Break signature', hint: 'Sends a vote with an invalid signature' },
  { action: 'unknown_event', label: 'Unknown event', hint: 'Sends a signed event of an unknown type' },
  { action: 'discord_down', label: 'Discord down', hint: 'Stops Discord for 10 seconds', down: 'discord' },
  { action: 'service_down', label: 'Service down', hint: 'Stops the listing service for 10 seconds', down: 'service' },
  { action: 'move_clock', label: '+12 hours', hint: 'Advances the clock of the bot, Discord and the service' },
];

/** The buttons that inject faults, and the sandbox time. */
export function startFaultPanel(store: PageStore): void {
  const { state } = store;
  const result = findById('trouble-result');
  const clock = findById('sandbox-time');

  async function inject(action: FaultAction): Promise<void> {
    result.textContent = '…';
    const response = await postAction('/page/trouble', { fault: action, userId: state.userId });
    result.textContent = response.error ?? response.message;
    if (response.error === undefined && action !== 'move_clock') store.tried('fault');
  }

  function renderButtons(): void {
    const button = ({ action, label, hint, down }: FaultButton) => {
      const isDown = down !== undefined && state.outages[down];
      const press = () => {
        if (!isDown) void inject(action);
      };
      return html`<button type="button" class="button secondary trouble ${isDown ? 'down' : ''}" title=${hint} data-trouble=${action} aria-disabled=${isDown ? 'true' : nothing} @click=${press}>${label}</button>`;
    };
    render(faultButtons.map(button), findById('troubles'));
  }

  function renderClock(): void {
    if (!state.loaded) return;
    const { speed } = state.time;
    const lead = formatLead(state.clock.offsetMs());
    const parts = [speed === 1 ? '' : `${speed}× speed`, lead === null ? '' : `${lead} ahead`];
    const now = `${formatTime(state.clock.now(), 'd')} ${formatTime(state.clock.now(), 't')}`;
    const text = [now, ...parts.filter(Boolean)].join(', ');
    if (clock.textContent !== text) clock.textContent = text;
  }

  renderButtons();
  setInterval(renderClock, second);
  store.subscribe(({ kind }) => {
    if (kind === 'full_state' || kind === 'simulation') renderButtons();
    if (kind === 'full_state' || kind === 'simulation' || kind === 'time') renderClock();
  });
}
