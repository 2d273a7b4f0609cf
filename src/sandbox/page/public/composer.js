import { suggest, suggestCompletions, toComplete, understand } from './command-line.js';
import { element, find } from './element.js';
import { ask } from './requests.js';

/** The line in which commands are typed, with what could come next above it. */
export function startComposer(store) {
  const { state } = store;
  const input = find('composer-input');
  const picker = find('picker');
  const error = find('composer-error');
  let shown = [];
  let active = -1;
  let typing;

  function draw() {
    picker.replaceChildren(
      ...shown.map(({ label, hint }, index) =>
        element(
          'div',
          {
            id: `suggestion-${index}`,
            role: 'option',
            'aria-selected': String(index === active),
            // The focus stays in the line; a press must not take it away.
            onmousedown: (event) => event.preventDefault(),
            onclick: () => take(index),
          },
          element('span', { class: 'suggestion' }, label),
          element('span', { class: 'suggestion-hint' }, hint),
        ),
      ),
    );
    picker.hidden = shown.length === 0;
    input.setAttribute('aria-expanded', String(shown.length > 0));
    if (active === -1) input.removeAttribute('aria-activedescendant');
    else {
      input.setAttribute('aria-activedescendant', `suggestion-${active}`);
      picker.children[active]?.scrollIntoView({ block: 'nearest' });
    }
  }

  function offer() {
    error.textContent = '';
    shown = document.activeElement === input ? suggest(input.value, state) : [];
    active = shown[0]?.certain ? 0 : -1;
    draw();
    offerCompletions();
  }

  /** Asks the bot as soon as nothing more is typed for a moment. */
  function offerCompletions() {
    clearTimeout(typing);
    const wanted = document.activeElement === input ? toComplete(input.value, state) : null;
    if (wanted !== null) typing = setTimeout(() => void complete(input.value, wanted), 150);
  }

  /** What the bot says to an older line is not heard. */
  async function complete(line, wanted) {
    const { userId, channelId } = state;
    const { choices, error: fault } = await ask('/page/completions', { ...wanted, userId, channelId });
    if (input.value !== line || document.activeElement !== input) return;
    if (fault) {
      error.textContent = fault;
      return;
    }
    for (const { name, value } of choices) {
      state.completed.set(`${wanted.focused.name}:${name.toLowerCase()}`, value);
    }
    shown = suggestCompletions(line, choices, state);
    active = shown.length > 0 ? 0 : -1;
    draw();
  }

  function hide() {
    shown = [];
    active = -1;
    draw();
  }

  function take(index) {
    const suggestion = shown[index];
    if (suggestion === undefined) return;
    input.value = suggestion.insert;
    input.focus();
    offer();
  }

  function move(step) {
    if (shown.length === 0) return;
    active = (active + step + shown.length + (active === -1 && step < 0 ? 1 : 0)) % shown.length;
    draw();
  }

  async function send() {
    const line = input.value.trim();
    if (line === '') return;
    const understood = understand(`${line} `, state);
    if (understood.error) {
      error.textContent = understood.error;
      return;
    }
    const { userId, channelId } = state;
    const answer = await ask('/page/commands', { ...understood, userId, channelId });
    if (answer.error) {
      error.textContent = answer.error;
      return;
    }
    input.value = '';
    hide();
    store.sent(answer.interactionId, { name: understood.name, userId, channelId });
    store.tried(understood.name);
  }

  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: hide,
    Tab: () => take(Math.max(active, 0)),
    Enter: () => (active === -1 ? void send() : take(active)),
  };
  input.addEventListener('keydown', (event) => {
    const isOpen = shown.length > 0;
    const handled = event.key === 'Enter' || (isOpen && event.key in keys && !event.shiftKey);
    if (!handled || event.isComposing) return;
    event.preventDefault();
    keys[event.key]();
  });
  input.addEventListener('input', offer);
  input.addEventListener('focus', offer);
  input.addEventListener('blur', hide);
  find('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  store.subscribe((kind) => {
    if (kind === 'everything' || kind === 'places') offer();
  });
}
