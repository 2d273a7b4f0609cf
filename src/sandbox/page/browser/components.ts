import type { Button } from '../../discord/message-schema.ts';
import type { Message } from '../../discord/objects.ts';
import { syncDisabled } from './discord-components.ts';
import { element } from './element.ts';
import { type ComponentContext, selectElement } from './select.ts';

/** Discord's "Button Styles" as `discord-button` types. */
const buttonStyles: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'destructive' };

/** The action rows of a message. */
export function componentRows({ components }: Message, context: ComponentContext): HTMLElement[] {
  return components.map((row) =>
    element(
      'discord-action-row',
      { slot: 'components', 'aria-busy': context.isBusy },
      ...row.components.map((component) =>
        component.type === 2 ? button(component, context) : selectElement(component, context),
      ),
    ),
  );
}

function button(component: Button, { isBusy, useComponent: press }: ComponentContext): HTMLElement {
  const label = [component.emoji?.name, component.label].filter(Boolean).join(' ');
  const node = element(
    'discord-button',
    {
      type: buttonStyles[component.style] ?? 'secondary',
      url: component.url,
      disabled: Boolean(component.disabled),
      'data-custom-id': component.custom_id,
      onclick: () => {
        if (component.custom_id && !component.disabled && !isBusy) press(component.custom_id);
      },
    },
    label,
  );
  return syncDisabled(node);
}
