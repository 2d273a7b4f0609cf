import { element } from './element.js';

const styles = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger', 5: 'secondary' };

/**
 * The rows of buttons below a message.
 *
 * @param {object} message
 * @param {{ busy: boolean, press: (customId: string, values?: string[]) => void }} how
 */
export function componentRows(message, { busy, press }) {
  return message.components.map((row) =>
    element('div', { class: 'button-row' }, ...row.components.map((each) => component(each, busy, press))),
  );
}

function component(each, busy, press) {
  if (each.type === 3) return select(each, busy, press);
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

function select(each, busy, press) {
  const options = each.options.map(({ label, value }) => element('option', { value }, label));
  const made = element(
    'select',
    {
      class: 'select',
      disabled: Boolean(each.disabled) || busy,
      'aria-label': each.placeholder ?? 'Choose',
      onchange: () => press(each.custom_id, [made.value]),
    },
    element('option', { value: '', disabled: true, selected: true }, each.placeholder ?? 'Choose'),
    ...options,
  );
  return made;
}
