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
export class Composer {
  readonly #store: PageStore;
  readonly #input = findById<HTMLInputElement>('composer-input');
  readonly #picker = findById('picker');
  readonly #error = findById('composer-error');
  #visible: readonly Suggestion[] = [];
  /** The index of the highlighted suggestion; -1 without one. */
  #active = -1;
  #autocompleteTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: PageStore) {
    this.#store = store;
  }

  start(): void {
    const input = this.#input;
    const update = () => this.#updateSuggestions();
    const keyHandlers: Readonly<Record<string, () => void>> = {
      ArrowDown: () => this.#move(1),
      ArrowUp: () => this.#move(-1),
      Escape: () => this.#hide(),
      Tab: () => this.#acceptSuggestion(Math.max(this.#active, 0)),
      Enter: () => (this.#active === -1 ? void this.#send() : this.#acceptSuggestion(this.#active)),
    };
    input.addEventListener('keydown', (event) => {
      const isOpen = this.#visible.length > 0 && !event.shiftKey;
      const handle = event.key === 'Enter' || isOpen ? keyHandlers[event.key] : undefined;
      if (handle === undefined || event.isComposing) return;
      event.preventDefault();
      handle();
    });
    input.addEventListener('input', update);
    input.addEventListener('focus', update);
    input.addEventListener('blur', () => this.#hide());
    findById('composer').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    this.#store.on(['full_state', 'sidebar', 'acting', 'channel'], update);
  }

  /** Commands in the picker; a line may name any command, and the server says why it is rejected. */
  #slashCommands() {
    return offeredCommands(this.#store.state, commandType.slash);
  }

  #offered() {
    const { state } = this.#store;
    return { ...state, commands: this.#slashCommands(), locale: localeOf(state) };
  }

  #context() {
    const others = this.#store.state.commands.filter(({ type }) => type === commandType.slash);
    return { ...this.#offered(), commands: [...this.#slashCommands(), ...others] };
  }

  #show(suggestions: readonly Suggestion[], highlighted: number): void {
    this.#visible = suggestions;
    this.#active = highlighted;
    render(
      suggestions.map((suggestion, index) => this.#option(suggestion, index)),
      this.#picker,
    );
    this.#picker.hidden = suggestions.length === 0;
    this.#input.setAttribute('aria-expanded', String(suggestions.length > 0));
    if (this.#active === -1) this.#input.removeAttribute('aria-activedescendant');
    else this.#input.setAttribute('aria-activedescendant', `suggestion-${this.#active}`);
    this.#picker.children[this.#active]?.scrollIntoView({ block: 'nearest' });
  }

  #option({ label, hint }: Suggestion, index: number): TemplateResult {
    // Keeps the focus in the input.
    const keepFocus = (event: MouseEvent) => event.preventDefault();
    return html`<div id="suggestion-${index}" role="option" aria-selected=${index === this.#active} @mousedown=${keepFocus} @click=${() => this.#acceptSuggestion(index)}><span class="suggestion">${label}</span><span class="suggestion-hint">${hint}</span></div>`;
  }

  #hide(): void {
    this.#show([], -1);
  }

  #updateSuggestions(): void {
    this.#error.textContent = '';
    const suggestions = document.activeElement === this.#input ? suggest(this.#input.value, this.#offered()) : [];
    this.#show(suggestions, suggestions[0]?.isCertain ? 0 : -1);
    clearTimeout(this.#autocompleteTimer);
    const request =
      document.activeElement === this.#input ? autocompleteRequest(this.#input.value, this.#offered()) : null;
    if (request !== null)
      this.#autocompleteTimer = setTimeout(
        () => void this.#autocomplete(this.#input.value, request),
        autocompleteDelayMs,
      );
  }

  /** Ignores the response if the line has changed in the meantime. */
  async #autocomplete(line: string, request: AutocompleteRequest): Promise<void> {
    const { userId, channelId } = this.#store.state;
    const response = await postAction('/page/completions', { ...request, userId, channelId });
    if (this.#input.value !== line || document.activeElement !== this.#input) return;
    if (response.error !== undefined) {
      this.#error.textContent = response.error;
      return;
    }
    const locale = localeOf(this.#store.state);
    const choices = response.choices.map(({ name, name_localizations: names, value }) => ({
      name: findLocalized(names, locale) ?? name,
      value,
    }));
    for (const { name, value } of choices)
      this.#store.state.completed.set(`${request.focused.name}:${name.toLowerCase()}`, value);
    this.#show(suggestCompletions(line, choices, this.#offered()), response.choices.length > 0 ? 0 : -1);
  }

  #acceptSuggestion(index: number): void {
    const suggestion = this.#visible[index];
    if (suggestion === undefined) return;
    this.#input.value = suggestion.insert;
    this.#input.focus();
    this.#updateSuggestions();
  }

  #move(step: 1 | -1): void {
    const from = this.#active === -1 && step === -1 ? 0 : this.#active;
    this.#show(this.#visible, (from + step + this.#visible.length) % this.#visible.length);
  }

  async #send(): Promise<void> {
    const line = this.#input.value.trim();
    if (line === '') return;
    const command = parseCommandLine(`${line} `, this.#context());
    if ('error' in command) {
      this.#error.textContent = command.error;
      return;
    }
    const { userId, channelId } = this.#store.state;
    // At once, so that the next line can be typed before the response arrives.
    this.#input.value = '';
    this.#hide();
    const response = await postAction('/page/commands', { ...command, userId, channelId });
    if (response.error !== undefined) {
      this.#error.textContent = response.error;
      if (this.#input.value === '') this.#input.value = line;
      return;
    }
    this.#store.addPending(response.interactionId, { name: `/${command.name}`, userId, channelId });
  }
}
