import type { Select } from '../../discord/component-schema.ts';
import type { NormalizedControl } from '../../discord/normalized-components.ts';
import { element } from './element.ts';
import type { State } from './store.ts';

/** Sends the use of a button or select. */
export type UseComponent = (customId: string, values?: readonly string[]) => void;

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
  const node: HTMLSelectElement = element(
    'select',
    {
      class: 'select',
      disabled: Boolean(component.disabled) || isBusy,
      'aria-label': component.placeholder ?? 'Choose',
      'data-custom-id': component.custom_id,
      onchange: (): void => press(component.custom_id, [node.value]),
    },
    element('option', { value: '', disabled: true, selected: true }, component.placeholder ?? 'Choose'),
    ...selectOptions(component, state).map(({ value, label, hint, selected }) =>
      element('option', { value, selected }, hint ? `${label} – ${hint}` : label),
    ),
  );
  return node;
}

/** A select with multiple values: checkboxes and a button to submit them. */
function multiSelect(component: MessageSelect, { state, isBusy, useComponent: press }: ComponentContext): HTMLElement {
  const minValues = component.min_values ?? 1;
  const maxValues = component.max_values ?? 1;
  const boxes = selectOptions(component, state).map(({ value, label, hint, selected }) => {
    const box = element('input', { type: 'checkbox', value, checked: selected, onchange: () => updateButton() });
    return { box, row: element('label', {}, box, hint ? `${label} – ${hint}` : label) };
  });
  const selectedValues = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
  const submit = () => press(component.custom_id, selectedValues());
  const send = element('button', { type: 'button', class: 'button primary', onclick: submit }, 'Choose');
  function updateButton(): void {
    const count = selectedValues().length;
    send.disabled = isBusy || count < minValues || count > maxValues;
  }
  updateButton();
  const label = `${component.placeholder ?? 'Choose'} (${minValues === maxValues ? minValues : `${minValues} to ${maxValues}`})`;
  if (component.disabled) return element('p', { class: 'select-many' }, label);
  return element(
    'details',
    { class: 'select-many', 'data-custom-id': component.custom_id },
    element('summary', {}, label),
    element('fieldset', {}, element('legend', { class: 'visually-hidden' }, label), ...boxes.map(({ row }) => row)),
    send,
  );
}

type Offering = Select | Extract<NormalizedControl, { type: 3 | 5 | 6 | 7 | 8 }>;

/** Whether a channel select may offer text channels (type 0), the only kind in the guild. */
function offersTextChannels({
  channel_types: types,
}: {
  readonly channel_types?: readonly number[] | null | undefined;
}) {
  return !types?.length || types.includes(0);
}

export interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  readonly selected: boolean;
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
      return component.options.map(({ label, value, description, emoji, default: selected }) => ({
        value,
        label: [emoji?.name, label].filter(Boolean).join(' '),
        ...(description ? { hint: description } : {}),
        selected: Boolean(selected),
      }));
    case 5:
      return toOptions(offeredMembers, '@');
    case 6:
      return toOptions(offeredRoles, '@');
    case 7:
      return [...toOptions(offeredMembers, '@'), ...toOptions(offeredRoles, '@')];
    case 8:
      return toOptions(
        isDirect || !offersTextChannels(component) ? [] : channels.filter(({ kind }) => kind === 'guild'),
        '#',
      );
  }
}
