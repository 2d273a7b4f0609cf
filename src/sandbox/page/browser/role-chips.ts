import { element } from './element.ts';
import type { State } from './store.ts';

type Role = State['roles'][number];
type Member = State['members'][number];

/** The roles of a member, highest first. */
export function rolesOf(member: Member, roles: State['roles']): Role[] {
  return roles.filter(({ id }) => member.roles.includes(id)).toSorted((one, other) => other.position - one.position);
}

/** A member's name in the color of the highest role that has one, as in Discord's client. */
export function coloredName(member: Member, roles: State['roles']): HTMLElement {
  const color = rolesOf(member, roles).find((role) => role.color !== 0)?.color;
  return element(
    'span',
    { class: 'member-name', style: color === undefined ? null : `--role-color: ${cssColor(color)}` },
    member.name,
  );
}

/** A role with its color. */
export function roleChip({ name, color }: Role): HTMLElement {
  const style = color === 0 ? null : `background: ${cssColor(color)}`;
  return element(
    'span',
    { class: 'role-chip' },
    element('span', { class: 'role-dot', 'aria-hidden': 'true', style }),
    name,
  );
}

/** The roles of a member as a list; null if there are none. */
export function roleChips(member: Member, roles: State['roles']): HTMLElement | null {
  const held = rolesOf(member, roles);
  if (held.length === 0) return null;
  return element('span', { class: 'role-chips' }, ...held.map(roleChip));
}

function cssColor(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}
