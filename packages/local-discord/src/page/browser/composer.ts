import { commandType } from '../../flags.ts';
import { findLocalized } from '../../locales.ts';
import { findById, html, render, type TemplateResult } from './element.ts';
import { postAction } from './requests.ts';
import { localeOf, offeredCommands, type PageStore } from './store.ts';
import {
  type AutocompleteRequest,
  autocompleteRequest,
  parseCommandLine,
  type Suggestion,
  suggest,
  suggestCompletions,
} from './suggestions.ts';

/** Delay after the last keystroke before an autocomplete request (ms). */
const autocompleteDelayMs = 150;

/** The command input with its list of suggestions. */
export function startComposer(store: PageStore): void {
  const { state } = store;
  /** Commands in the picker; a line may name any command, and the server says why it is rejected. */
  const slashCommands = () => offeredCommands(state, commandType.slash);
  const offered = () => ({ ...state, commands: slashCommands(), locale: localeOf(state) });
  const context = () => {
    const others = state.commands.filter(({ type }) => type === commandType.slash);
    return { ...offered(), commands: [...slashCommands(), ...others] };
  };
  const input = findById<HTMLInputElement>('composer-input');
  const picker = findById('picker');
  const error = findById('composer-error');
  let visible: readonly Suggestion[] = [];
  let active = -1;
  let autocompleteTimer: ReturnType<typeof setTimeout> | undefined;

  function show(suggestions: readonly Suggestion[], highlighted: number): void {
    visible = suggestions;
    active = highlighted;
    render(suggestions.map(option), picker);
    picker.hidden = suggestions.length === 0;
    input.setAttribute('aria-expanded', String(suggestions.length > 0));
    if (active === -1) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `suggestion-${active}`);
    picker.children[active]?.scrollIntoView({ block: 'nearest' });
  }

  function option({ label, hint }: Suggestion, index: number): TemplateResult {
    // Keeps the focus in the input.
    const keepFocus = (event: MouseEvent) => event.preventDefault();
    return html`<div id="suggestion-${index}" role="option" aria-selected=${index === active} @mousedown=${keepFocus} @click=${() => acceptSuggestion(index)}><span class="suggestion">${label}</span><span class="suggestion-hint">${hint}</span></div>`;
  }

  const hide = () => show([], -1);

  function updateSuggestions(): void {
    error.textContent = '';
    const suggestions = document.activeElement === input ? suggest(input.value, offered()) : [];
    show(suggestions, suggestions[0]?.isCertain ? 0 : -1);
    clearTimeout(autocompleteTimer);
    const request = document.activeElement === input ? autocompleteRequest(input.value, offered()) : null;
    if (request !== null)
      autocompleteTimer = setTimeout(() => void autocomplete(input.value, request), autocompleteDelayMs);
  }

  /** Ignores the response if the line has changed in the meantime. */
  async function autocomplete(line: string, request: AutocompleteRequest): Promise<void> {
    const { userId, channelId } = state;
    const response = await postAction('/page/completions', { ...request, userId, channelId });
    if (input.value !== line || document.activeElement !== input) return;
    if (response.error !== undefined) {
      error.textContent = response.error;
      return;
    }
    const locale = localeOf(state);
    const choices = response.choices.map(({ name, name_localizations: names, value }) => ({
      name: findLocalized(names, locale) ?? name,
      value,
    }));
    for (const { name, value } of choices) state.completed.set(`${request.focused.name}:${name.toLowerCase()}`, value);
    show(suggestCompletions(line, choices, offered()), response.choices.length > 0 ? 0 : -1);
  }

  function acceptSuggestion(index: number): void {
    const suggestion = visible[index];
    if (suggestion === undefined) return;
    input.value = suggestion.insert;
    input.focus();
    updateSuggestions();
  }

  function move(step: 1 | -1): void {
    const from = active === -1 && step === -1 ? 0 : active;
    show(visible, (from + step + visible.length) % visible.length);
  }

  async function send(): Promise<void> {
    const line = input.value.trim();
    if (line === '') return;
    const command = parseCommandLine(`${line} `, context());
    if ('error' in command) {
      error.textContent = command.error;
      return;
    }
    const { userId, channelId } = state;
    // At once, so that the next line can be typed before the response arrives.
    input.value = '';
    hide();
    const response = await postAction('/page/commands', { ...command, userId, channelId });
    if (response.error !== undefined) {
      error.textContent = response.error;
      if (input.value === '') input.value = line;
      return;
    }
    store.addPending(response.interactionId, { name: `/${command.name}`, userId, channelId });
  }

  const keyHandlers: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: hide,
    Tab: () => acceptSuggestion(Math.max(active, 0)),
    Enter: () => (active === -1 ? void send() : acceptSuggestion(active)),
  };
  input.addEventListener('keydown', (event) => {
    const isOpen = visible.length > 0 && !event.shiftKey;
    const handle = event.key === 'Enter' || isOpen ? keyHandlers[event.key] : undefined;
    if (handle === undefined || event.isComposing) return;
    event.preventDefault();
    handle();
  });
  input.addEventListener('input', updateSuggestions);
  input.addEventListener('focus', updateSuggestions);
  input.addEventListener('blur', hide);
  findById('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  store.on(['full_state', 'sidebar', 'acting', 'channel'], updateSuggestions);
}
