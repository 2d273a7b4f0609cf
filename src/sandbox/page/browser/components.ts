import type { Button } from '../../discord/message-schema.ts';
import type { Message } from '../../discord/objects.ts';
import { honest } from './discord-components.ts';
import { element } from './element.ts';
import type { Pressed } from './pressed.ts';
import { select } from './select.ts';

/** Discord: "Button Styles", in the library's words. */
const styles: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'destructive' };

/** The rows of buttons and selects below a message. */
export function componentRows({ components }: Message, how: Pressed): HTMLElement[] {
  return components.map((row) =>
    element(
      'discord-action-row',
      { slot: 'components', 'aria-busy': how.isBusy },
      ...row.components.map((each) => (each.type === 2 ? button(each, how) : select(each, how))),
    ),
  );
}

function button(each: Button, { isBusy, press }: Pressed): HTMLElement {
  const label = [each.emoji?.name, each.label].filter(Boolean).join(' ');
  const made = element(
    'discord-button',
    {
      type: styles[each.style] ?? 'secondary',
      url: each.url,
      disabled: Boolean(each.disabled),
      'data-custom-id': each.custom_id,
      onclick: () => {
        if (each.custom_id && !each.disabled && !isBusy) press(each.custom_id);
      },
    },
    label,
  );
  return honest(made);
}
