import { element, find } from './element.js';
import { ask } from './requests.js';
import { formatTime, keepCurrent, sandboxNow } from './time.js';

const buttons = [
  { what: 'repeat', label: 'Repeat delivery', hint: 'the same bytes again' },
  { what: 'break_signature', label: 'Break signature', hint: 'send a forged vote' },
  { what: 'unknown_event', label: 'Unknown event', hint: 'signed, but of a new kind' },
  { what: 'discord_down', label: 'Discord down', hint: 'for 10 seconds', down: 'discord' },
  { what: 'service_down', label: 'Service down', hint: 'for 10 seconds', down: 'service' },
  { what: 'move_clock', label: '12 hours on', hint: 'moves the clock' },
];

/** Buttons that go wrong on purpose, and the time inside the sandbox. */
export function startTrouble(store) {
  const { state } = store;
  const result = find('trouble-result');
  const clock = find('sandbox-time');

  async function make(what) {
    result.textContent = '…';
    const { said, error } = await ask('/page/trouble', { what, userId: state.userId });
    result.textContent = said ?? error;
    if (said) store.tried('trouble');
  }

  const made = buttons.map(({ what, label, hint, down }) => {
    const note = element('span', { class: 'trouble-hint' }, hint);
    const press = () => (button.getAttribute('aria-disabled') ? undefined : void make(what));
    const attributes = { type: 'button', class: 'button secondary trouble', 'data-trouble': what, onclick: press };
    const button = element('button', attributes, label, note);
    return { button, note, hint, down };
  });
  find('troubles').replaceChildren(...made.map(({ button }) => button));

  function drawOutages() {
    for (const { button, note, hint, down } of made) {
      if (down === undefined) continue;
      const isDown = state.outages[down];
      button.classList.toggle('down', isDown);
      if (isDown) button.setAttribute('aria-disabled', 'true');
      else button.removeAttribute('aria-disabled');
      note.textContent = isDown ? 'it is down now' : hint;
    }
  }

  function drawClock() {
    if (!state.loaded) return;
    const now = sandboxNow();
    const { speed } = state.time;
    const ahead = now - Date.now();
    const parts = [speed === 1 ? '' : `${speed} times as fast`, ahead > 60_000 ? `${inWords(ahead)} ahead` : ''];
    const apart = parts.filter(Boolean).join(', ');
    const text = `${formatTime(now, 'f')}${apart ? ` (${apart})` : ''}`;
    if (clock.textContent !== text) clock.textContent = text;
  }

  keepCurrent(drawClock);
  store.subscribe((kind) => {
    if (kind === 'everything' || kind === 'conditions') {
      drawOutages();
      drawClock();
    }
  });
}

function inWords(ms) {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.round(ms / 60_000)} minutes`;
  return hours < 48 ? `${Math.round(hours)} hours` : `${Math.round(hours / 24)} days`;
}
