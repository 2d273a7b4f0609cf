import type { Select } from '../../discord/message-schema.ts';
import { element } from './element.ts';
import type { Pressed } from './pressed.ts';
import type { State } from './store.ts';

/** A select of a message. The library's own tells nobody what was picked and ignores the keyboard, so it is the browser's. */
export function select(each: Select, how: Pressed): HTMLElement {
  return (each.max_values ?? 1) > 1 ? manySelect(each, how) : singleSelect(each, how);
}

function singleSelect(each: Select, { state, isBusy, press }: Pressed): HTMLElement {
  const made: HTMLSelectElement = element(
    'select',
    {
      class: 'select',
      disabled: Boolean(each.disabled) || isBusy,
      'aria-label': each.placeholder ?? 'Choose',
      'data-custom-id': each.custom_id,
      onchange: (): void => press(each.custom_id, [made.value]),
    },
    element('option', { value: '', disabled: true, selected: true }, each.placeholder ?? 'Choose'),
    ...optionsOf(each, state).map(({ value, label, hint, selected }) =>
      element('option', { value, selected }, hint ? `${label} – ${hint}` : label),
    ),
  );
  return made;
}

/** Several can be picked: boxes to tick, and a button that sends them. */
function manySelect(each: Select, { state, isBusy, press }: Pressed): HTMLElement {
  const fewest = each.min_values ?? 1;
  const most = each.max_values ?? 1;
  const boxes = optionsOf(each, state).map(({ value, label, hint, selected }) => {
    const box = element('input', { type: 'checkbox', value, checked: selected, onchange: () => check() });
    return { box, row: element('label', {}, box, hint ? `${label} – ${hint}` : label) };
  });
  const picked = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
  const choose = () => press(each.custom_id, picked());
  const send = element('button', { type: 'button', class: 'button primary', onclick: choose }, 'Choose');
  function check(): void {
    const count = picked().length;
    send.disabled = isBusy || count < fewest || count > most;
  }
  check();
  const about = `${each.placeholder ?? 'Choose'} (${fewest === most ? fewest : `${fewest} to ${most}`})`;
  if (each.disabled) return element('p', { class: 'select-many' }, about);
  return element(
    'details',
    { class: 'select-many', 'data-custom-id': each.custom_id },
    element('summary', {}, about),
    element('fieldset', {}, element('legend', { class: 'visually-hidden' }, about), ...boxes.map(({ row }) => row)),
    send,
  );
}

export interface Offered {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  readonly selected: boolean;
}

/** What a select offers: its own options, or members, roles and channels. Discord: "Component Types", 3 and 5 to 8. */
export function optionsOf(each: Select, { members, roles, channels }: State): readonly Offered[] {
  const named = (items: readonly { id: string; name: string }[], sign: string): readonly Offered[] =>
    items.map(({ id, name }) => ({ value: id, label: sign + name.replace(/^@/, ''), selected: false }));
  switch (each.type) {
    case 3:
      return each.options.map(({ label, value, description, default: selected }) => ({
        value,
        label,
        ...(description ? { hint: description } : {}),
        selected: Boolean(selected),
      }));
    case 5:
      return named(members, '@');
    case 6:
      return named(roles, '@');
    case 7:
      return [...named(members, '@'), ...named(roles, '@')];
    case 8:
      return named(
        channels.filter((channel) => channel.with === null),
        '#',
      );
  }
}
