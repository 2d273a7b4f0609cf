import { element, findById } from './element.ts';
import { postAction } from './requests.ts';
import type { PageStore, State } from './store.ts';

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

/** The dialog with the roles of the guild, highest first, which can be moved and deleted. */
export function startRoleSettings(store: PageStore): void {
  const { state } = store;
  const dialog = findById<HTMLDialogElement>('role-settings');
  const error = findById('role-error');

  async function change(roleId: string, position: number | null): Promise<void> {
    const response = await postAction('/page/roles', { roleId, position });
    error.textContent = response.error ?? '';
  }

  function item(role: Role, index: number, all: readonly Role[]): HTMLElement {
    const { id, name, managed } = role;
    const control = (action: string, sign: string, disabled: boolean, onclick: () => void) =>
      element(
        'button',
        {
          type: 'button',
          class: 'role-control',
          disabled,
          'aria-label': `${action} ${name}`,
          'data-control': `${id} ${action}`,
          onclick,
        },
        sign,
      );
    const rank = all.length - index;
    return element(
      'li',
      { class: 'role-row' },
      roleChip(role),
      control('Move up', '↑', index === 0, () => void change(id, rank + 1)),
      control('Move down', '↓', index === all.length - 1, () => void change(id, rank - 1)),
      control('Delete', '✕', managed, () => void change(id, null)),
    );
  }

  function render(): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset['control'];
    const roles = state.roles.filter(({ id }) => id !== state.guild.id);
    const ordered = roles.toSorted((one, other) => other.position - one.position);
    findById('guild-roles').replaceChildren(...ordered.map(item));
    if (focused) dialog.querySelector<HTMLElement>(`[data-control="${focused}"]`)?.focus();
  }

  findById('role-settings-open').addEventListener('click', () => {
    error.textContent = '';
    dialog.showModal();
  });
  findById('role-settings-close').addEventListener('click', () => dialog.close());
  store.subscribe(({ kind }) => {
    if (kind === 'full_state' || kind === 'sidebar') render();
  });
}
