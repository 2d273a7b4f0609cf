import { element } from './element.js';

const selects = [3, 5, 6, 7, 8];
const styles = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger', 5: 'secondary' };

/**
 * The rows of buttons and selects below a message.
 *
 * @param {object} message
 * @param {{ state: object, busy: boolean, press: (customId: string, values?: string[]) => void }} how
 */
export function componentRows(message, { state, busy, press }) {
  return message.components.map((row) =>
    element('div', { class: 'button-row' }, ...row.components.map((each) => component(each, state, busy, press))),
  );
}

function component(each, state, busy, press) {
  if (selects.includes(each.type)) return select(each, state, busy, press);
  const label = [each.emoji?.name, each.label].filter(Boolean).join(' ');
  if (each.style === 5) {
    const attributes = { class: 'button secondary', href: each.url, target: '_blank', rel: 'noopener noreferrer' };
    return element('a', attributes, label, element('span', { class: 'outward', 'aria-hidden': 'true' }, '↗'));
  }
  return element(
    'button',
    {
      type: 'button',
      class: `button ${styles[each.style] ?? 'secondary'}`,
      disabled: Boolean(each.disabled),
      'aria-disabled': busy ? 'true' : null,
      'data-custom-id': each.custom_id,
      onclick: () => (busy ? undefined : press(each.custom_id)),
    },
    label,
  );
}

function select(each, state, busy, press) {
  const options = selectOptions(each, state);
  if ((each.max_values ?? 1) > 1) return manySelect(each, options, busy, press);
  const made = element(
    'select',
    {
      class: 'select',
      disabled: Boolean(each.disabled) || busy,
      'aria-label': each.placeholder ?? 'Choose',
      'data-custom-id': each.custom_id,
      onchange: () => press(each.custom_id, [made.value]),
    },
    element('option', { value: '', disabled: true, selected: true }, each.placeholder ?? 'Choose'),
    ...options.map(({ value, label, hint, selected }) =>
      element('option', { value, selected }, hint ? `${label} – ${hint}` : label),
    ),
  );
  return made;
}

/** Several can be picked: boxes to tick, and a button that sends them. */
function manySelect(each, options, busy, press) {
  const fewest = each.min_values ?? 1;
  const boxes = options.map(({ value, label, hint, selected }) => {
    const box = element('input', { type: 'checkbox', value, checked: selected, onchange: () => check() });
    return { box, row: element('label', {}, box, hint ? `${label} – ${hint}` : label) };
  });
  const picked = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
  const send = element(
    'button',
    { type: 'button', class: 'button primary', onclick: () => press(each.custom_id, picked()) },
    'Choose',
  );
  function check() {
    const count = picked().length;
    send.disabled = busy || count < fewest || count > each.max_values;
  }
  check();
  const about = `${each.placeholder ?? 'Choose'} (${fewest === each.max_values ? fewest : `${fewest} to ${each.max_values}`})`;
  if (each.disabled) return element('p', { class: 'select-many' }, about);
  return element(
    'details',
    { class: 'select-many', 'data-custom-id': each.custom_id },
    element('summary', {}, about),
    element('fieldset', {}, element('legend', { class: 'visually-hidden' }, about), ...boxes.map(({ row }) => row)),
    send,
  );
}

/**
 * What a select offers: its own options, or members, roles and channels.
 *
 * @returns {{ value: string, label: string, hint?: string, selected: boolean }[]}
 */
export function selectOptions(each, { members, roles, channels }) {
  const named = (items, sign) =>
    items.map(({ id, name }) => ({ value: id, label: sign + name.replace(/^@/, ''), selected: false }));
  switch (each.type) {
    case 3:
      return each.options.map(({ label, value, description, default: selected }) => ({
        value,
        label,
        hint: description ?? undefined,
        selected: Boolean(selected),
      }));
    case 5:
      return named(members, '@');
    case 6:
      return named(roles, '@');
    case 7:
      return [...named(members, '@'), ...named(roles, '@')];
    default:
      return named(
        channels.filter((channel) => channel.with === null),
        '#',
      );
  }
}
