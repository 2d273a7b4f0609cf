import { toComplete, understand } from './command-line.ts';
import { element, find } from './element.ts';
import { ask } from './requests.ts';
import type { PageStore } from './store.ts';
import { type Suggestion, suggest, suggestCompletions } from './suggestions.ts';

/** How long somebody pauses before the bot is asked to complete what was typed (ms). */
const pause = 150;

/** The line in which commands are typed, with what could come next above it. */
export function startComposer(store: PageStore): void {
  const { state } = store;
  const input = find<HTMLInputElement>('composer-input');
  const picker = find('picker');
  const error = find('composer-error');
  let shown: readonly Suggestion[] = [];
  let active = -1;
  let typing: ReturnType<typeof setTimeout> | undefined;

  function show(suggestions: readonly Suggestion[], highlighted: number): void {
    shown = suggestions;
    active = highlighted;
    picker.replaceChildren(...shown.map(option));
    picker.hidden = shown.length === 0;
    input.setAttribute('aria-expanded', String(shown.length > 0));
    if (active === -1) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `suggestion-${active}`);
    picker.children[active]?.scrollIntoView({ block: 'nearest' });
  }

  function option({ label, hint }: Suggestion, index: number): HTMLElement {
    return element(
      'div',
      {
        id: `suggestion-${index}`,
        role: 'option',
        'aria-selected': String(index === active),
        // The focus stays in the line; a press must not take it away.
        onmousedown: (event: MouseEvent) => event.preventDefault(),
        onclick: () => take(index),
      },
      element('span', { class: 'suggestion' }, label),
      element('span', { class: 'suggestion-hint' }, hint),
    );
  }

  const hide = () => show([], -1);

  function offer(): void {
    error.textContent = '';
    const suggestions = document.activeElement === input ? suggest(input.value, state) : [];
    show(suggestions, suggestions[0]?.certain ? 0 : -1);
    clearTimeout(typing);
    const wanted = document.activeElement === input ? toComplete(input.value, state) : null;
    if (wanted !== null) typing = setTimeout(() => void complete(input.value, wanted), pause);
  }

  /** What the bot says to an older line is not heard. */
  async function complete(line: string, wanted: NonNullable<ReturnType<typeof toComplete>>): Promise<void> {
    const { userId, channelId } = state;
    const answer = await ask('/page/completions', { ...wanted, userId, channelId });
    if (input.value !== line || document.activeElement !== input) return;
    if (answer.error !== undefined) {
      error.textContent = answer.error;
      return;
    }
    for (const { name, value } of answer.choices) {
      state.completed.set(`${wanted.focused.name}:${name.toLowerCase()}`, value);
    }
    show(suggestCompletions(line, answer.choices, state), answer.choices.length > 0 ? 0 : -1);
  }

  function take(index: number): void {
    const suggestion = shown[index];
    if (suggestion === undefined) return;
    input.value = suggestion.insert;
    input.focus();
    offer();
  }

  function move(step: 1 | -1): void {
    const from = active === -1 && step === -1 ? 0 : active;
    show(shown, (from + step + shown.length) % shown.length);
  }

  async function send(): Promise<void> {
    const line = input.value.trim();
    if (line === '') return;
    const understood = understand(`${line} `, state);
    if ('error' in understood) {
      error.textContent = understood.error;
      return;
    }
    const { userId, channelId } = state;
    const answer = await ask('/page/commands', { ...understood, userId, channelId });
    if (answer.error !== undefined) {
      error.textContent = answer.error;
      return;
    }
    input.value = '';
    hide();
    store.sent(answer.interactionId, { name: understood.name, userId, channelId });
    store.tried(understood.name);
  }

  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: hide,
    Tab: () => take(Math.max(active, 0)),
    Enter: () => (active === -1 ? void send() : take(active)),
  };
  input.addEventListener('keydown', (event) => {
    const isOpen = shown.length > 0 && !event.shiftKey;
    const handle = event.key === 'Enter' || isOpen ? keys[event.key] : undefined;
    if (handle === undefined || event.isComposing) return;
    event.preventDefault();
    handle();
  });
  input.addEventListener('input', offer);
  input.addEventListener('focus', offer);
  input.addEventListener('blur', hide);
  find('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  store.subscribe(({ kind }) => {
    if (kind === 'everything' || kind === 'places') offer();
  });
}
