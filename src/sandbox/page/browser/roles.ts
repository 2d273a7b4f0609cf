import { findById, html, nothing, render, type TemplateResult } from './element.ts';
import { postAction } from './requests.ts';
import type { PageStore, State } from './store.ts';

type Role = State['roles'][number];
type Member = State['members'][number];

/** The roles of a member, highest first. */
function rolesOf(member: Member, roles: State['roles']): Role[] {
  return roles.filter(({ id }) => member.roles.includes(id)).toSorted((one, other) => other.position - one.position);
}

/** A member's name in the color of the highest role that has one, as in Discord's client. */
export function coloredName(member: Member, roles: State['roles']): TemplateResult {
  const color = rolesOf(member, roles).find((role) => role.color !== 0)?.color;
  const style = color === undefined ? nothing : `--role-color: ${cssColor(color)}`;
  return html`<span class="member-name" style=${style}>${member.name}</span>`;
}

/** A role with its color. */
function roleChip({ name, color }: Role): TemplateResult {
  const style = color === 0 ? nothing : `background: ${cssColor(color)}`;
  return html`<span class="role-chip"><span class="role-dot" aria-hidden="true" style=${style}></span>${name}</span>`;
}

/** The roles of a member as a list; null if there are none. */
export function roleChips(member: Member, roles: State['roles']): TemplateResult | null {
  const held = rolesOf(member, roles);
  return held.length === 0 ? null : html`<span class="role-chips">${held.map(roleChip)}</span>`;
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

  function item(role: Role, index: number, all: readonly Role[]): TemplateResult {
    const { id, name, managed } = role;
    const control = (action: string, sign: string, disabled: boolean, position: number | null) =>
      html`<button type="button" class="role-control" ?disabled=${disabled} aria-label="${action} ${name}" data-control="${id} ${action}" @click=${() => void change(id, position)}>${sign}</button>`;
    const rank = all.length - index;
    return html`<li class="role-row">
      ${roleChip(role)}
      ${control('Move up', '↑', index === 0, rank + 1)}
      ${control('Move down', '↓', index === all.length - 1, rank - 1)}
      ${control('Delete', '✕', managed, null)}
    </li>`;
  }

  function draw(): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset['control'];
    const roles = state.roles.filter(({ id }) => id !== state.guild.id);
    const ordered = roles.toSorted((one, other) => other.position - one.position);
    render(ordered.map(item), findById('guild-roles'));
    if (focused) dialog.querySelector<HTMLElement>(`[data-control="${focused}"]`)?.focus();
  }

  findById('role-settings-open').addEventListener('click', () => {
    error.textContent = '';
    dialog.showModal();
  });
  findById('role-settings-close').addEventListener('click', () => dialog.close());
  store.subscribe(({ kind }) => {
    if (kind === 'full_state' || kind === 'sidebar') draw();
  });
}
