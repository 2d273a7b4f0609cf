import type { NormalizedControl, NormalizedRow } from '../../discord/normalized-components.ts';
import { syncDisabled } from './discord-components.ts';
import { element } from './element.ts';
import { type ComponentContext, selectElement } from './select.ts';

/** Discord's "Button Styles" as `discord-button` types. */
const buttonStyles: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'destructive' };

/** A row of buttons, or of one select. */
export function rowElement({ components }: NormalizedRow, context: ComponentContext): HTMLElement {
  return element(
    'discord-action-row',
    { slot: 'components', 'aria-busy': context.isBusy },
    ...components.map((component) => controlElement(component, context)),
  );
}

export function controlElement(component: NormalizedControl, context: ComponentContext): HTMLElement {
  return component.type === 2 ? button(component, context) : selectElement(component, context);
}

function button(
  component: Extract<NormalizedControl, { type: 2 }>,
  { isBusy, useComponent: press }: ComponentContext,
): HTMLElement {
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
