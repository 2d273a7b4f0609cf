import type { NormalizedControl } from './normalized-components.ts';

/** What the kinds of selects select. Discord: "Component Types", 3 and 5 to 8. */
const selected: Readonly<Record<3 | 5 | 6 | 7 | 8, string>> = {
  3: 'an option',
  5: 'a member',
  6: 'a role',
  7: 'a member or role',
  8: 'a channel',
};

/** The text on a control, or its kind: never its custom id, which only the bot understands. */
export function componentLabel(component: NormalizedControl): string {
  if (component.type === 2) return component.label ?? component.emoji?.name ?? 'a button';
  return component.placeholder ?? selected[component.type];
}

/**
 * What a member did with a control, such as `chose a channel in /setup`.
 *
 * @param command the command that the message responds to, if any
 */
export function componentAction(component: NormalizedControl, command: string | undefined): string {
  const place = command === undefined ? '' : ` in /${command}`;
  if (component.type !== 2) return `chose ${selected[component.type]}${place}`;
  const label = componentLabel(component);
  return `pressed ${component.label == null ? label : `“${label}”`}${place}`;
}
