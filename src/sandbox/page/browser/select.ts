import type { Select } from '../../discord/component-schema.ts';
import type { NormalizedControl } from '../../discord/objects.ts';
import { html, type TemplateResult, toElement } from './element.ts';
import type { State } from './store.ts';

/** Sends the use of a button or select. */
type UseComponent = (customId: string, values?: readonly string[]) => void;

type MessageSelect = Exclude<NormalizedControl, { type: 2 }>;

/** What the controls of a message depend on. */
export interface ComponentContext {
  readonly state: State;
  /** Whether an earlier use is still pending. */
  readonly isBusy: boolean;
  readonly useComponent: UseComponent;
}

/** A select of a message. A native control: the library's select emits no selection and ignores the keyboard. */
export function selectElement(component: MessageSelect, context: ComponentContext): HTMLElement {
  return (component.max_values ?? 1) > 1 ? multiSelect(component, context) : singleSelect(component, context);
}

function singleSelect(component: MessageSelect, { state, isBusy, useComponent: press }: ComponentContext): HTMLElement {
  const label = component.placeholder ?? 'Choose';
  const choose = ({ currentTarget }: Event) => press(component.custom_id, [(currentTarget as HTMLSelectElement).value]);
  return toElement(html`<select class="select" ?disabled=${Boolean(component.disabled) || isBusy} aria-label=${label} data-custom-id=${component.custom_id} @change=${choose}>
    <option value="" disabled selected>${label}</option>
    ${selectOptions(component, state).map(optionElement)}
  </select>`);
}

/** A select with multiple values: checkboxes and a button to submit them. */
function multiSelect(component: MessageSelect, { state, isBusy, useComponent: press }: ComponentContext): HTMLElement {
  const minValues = component.min_values ?? 1;
  const maxValues = component.max_values ?? 1;
  const label = `${component.placeholder ?? 'Choose'} (${minValues === maxValues ? minValues : `${minValues} to ${maxValues}`})`;
  if (component.disabled) return toElement(html`<p class="select-many">${label}</p>`);
  const selectedValues = () => [...node.querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value);
  function updateButton(): void {
    const count = selectedValues().length;
    const isComplete = count >= minValues && count <= maxValues;
    node.querySelector('button')?.toggleAttribute('disabled', isBusy || !isComplete);
  }
  const node = toElement(html`<details class="select-many" data-custom-id=${component.custom_id}>
    <summary>${label}</summary>
    <fieldset @change=${updateButton}><legend class="visually-hidden">${label}</legend>${selectOptions(
      component,
      state,
    ).map(
      (option) =>
        html`<label><input type="checkbox" value=${option.value} ?checked=${option.selected}>${textOf(option)}</label>`,
    )}</fieldset>
    <button type="button" class="button primary" @click=${() => press(component.custom_id, selectedValues())}>Choose</button>
  </details>`);
  updateButton();
  return node;
}

export function optionElement(option: SelectOption): TemplateResult {
  return html`<option value=${option.value} ?selected=${option.selected}>${textOf(option)}</option>`;
}

function textOf({ label, hint }: SelectOption): string {
  return hint ? `${label} – ${hint}` : label;
}

type Offering = Select | Extract<NormalizedControl, { type: 3 | 5 | 6 | 7 | 8 }>;

export interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  readonly selected: boolean;
}

type OwnOption = Extract<Offering, { type: 3 }>['options'][number];

export function toSelectOption({ label, value, description, emoji, default: selected }: OwnOption): SelectOption {
  const shown = [emoji?.name, label].filter(Boolean).join(' ');
  return { value, label: shown, ...(description ? { hint: description } : {}), selected: selected === true };
}

/** The options of a select: its own, or members, roles and channels. Discord: "Component Types", 3 and 5 to 8. */
export function selectOptions(
  component: Offering,
  { members, roles, channels, channelId, userId }: State,
): readonly SelectOption[] {
  const defaults = component.type === 3 ? [] : (component.default_values ?? []);
  const toOptions = (items: readonly { id: string; name: string }[], sign: string): readonly SelectOption[] =>
    items.map(({ id, name }) => ({
      value: id,
      label: sign + name.replace(/^@/, ''),
      selected: defaults.some((each) => each.id === id),
    }));
  const isDirect = channels.some(({ id, with: recipient }) => id === channelId && recipient !== null);
  const offeredMembers = members.filter(({ id, isMember }) => (isDirect ? id === userId : isMember));
  const offeredRoles = isDirect ? [] : roles;
  switch (component.type) {
    case 3:
      return component.options.map(toSelectOption);
    case 5:
      return toOptions(offeredMembers, '@');
    case 6:
      return toOptions(offeredRoles, '@');
    case 7:
      return [...toOptions(offeredMembers, '@'), ...toOptions(offeredRoles, '@')];
    case 8: {
      // Text channels (type 0) are the only kind in the guild.
      const offersText = !component.channel_types?.length || component.channel_types.includes(0);
      return toOptions(isDirect || !offersText ? [] : channels.filter(({ kind }) => kind === 'guild'), '#');
    }
  }
}
