import { commandType } from '../../flags.ts';
import { findLocalized } from '../../locales.ts';
import { findById, html, nothing, render, type TemplateResult, toElement } from './element.ts';
import { postAction } from './requests.ts';
import { localeOf, offeredCommands, type PageStore, type State } from './store.ts';

/** The dialog with a user's roles, the commands in the menu of the user, and what the user can do: leave the guild, and accept no direct messages. */
export function startProfile(store: PageStore): void {
  const { state } = store;
  const dialog = findById<HTMLDialogElement>('profile');
  const error = findById('profile-error');
  const accepts = findById<HTMLInputElement>('profile-accepts');
  const membership = findById<HTMLButtonElement>('profile-membership');
  /** A choice that is not in the state yet: drawing again must not take it back. */
  let chosen: boolean | null = null;
  const shown = () => state.members.find(({ id }) => id === state.profileId);

  function draw(): void {
    const { roles } = state;
    const member = shown();
    if (member === undefined) return;
    findById<HTMLImageElement>('profile-avatar').src = pictureOf(member.id, member.name, state);
    findById('profile-name').replaceChildren(toElement(coloredName(member, roles)));
    findById('profile-username').textContent = `@${member.username}`;
    render(roleChips(member, roles) ?? html`<span class="left">No roles</span>`, findById('profile-roles'));
    const commands = offeredCommands(state, commandType.user);
    findById('profile-apps').hidden = commands.length === 0;
    render(commands.map(commandButton), findById('profile-commands'));
    if (chosen === member.acceptsDirectMessages) chosen = null;
    accepts.checked = chosen ?? member.acceptsDirectMessages;
    membership.disabled = member.isOwner;
    membership.textContent = member.isMember ? 'Leave the server' : 'Join the server again';
  }

  function commandButton({ name, name_localizations: names }: State['commands'][number]): TemplateResult {
    const shown = findLocalized(names, localeOf(state)) ?? name;
    return html`<button type="button" class="button secondary" data-command=${name} @click=${() => void use(name, shown)}>${shown}</button>`;
  }

  async function use(name: string, shown: string): Promise<void> {
    const { userId, channelId, profileId: targetId } = state;
    const response = await postAction('/page/user-commands', { name, userId, channelId, targetId });
    error.textContent = response.error ?? '';
    if (response.error !== undefined) return;
    dialog.close();
    store.addPending(response.interactionId, { name: shown, userId, channelId });
  }

  async function send(sent: Promise<{ readonly error?: string | undefined }>): Promise<void> {
    const { error: reason } = await sent;
    if (reason !== undefined) chosen = null;
    error.textContent = reason ?? '';
    draw();
  }

  accepts.addEventListener('change', () => {
    chosen = accepts.checked;
    void send(postAction('/page/direct-messages', { userId: state.profileId, accepted: chosen }));
  });
  membership.addEventListener('click', () => {
    const change = shown()?.isMember ? 'leave' : 'rejoin';
    void send(postAction('/page/members', { userId: state.profileId, change }));
  });
  findById('profile-close').addEventListener('click', () => dialog.close());
  store.on(['full_state', 'sidebar'], draw);
  store.on(['profile'], () => {
    error.textContent = '';
    chosen = null;
    draw();
    dialog.showModal();
  });
}

type Member = State['members'][number];

/** The members with their roles; a click opens the profile. */
export function startMemberList(store: PageStore): void {
  const { state } = store;

  function item(member: Member): TemplateResult {
    const { id, name, isMember } = member;
    const note = isMember ? roleChips(member, state.roles) : html`<span class="left">left the server</span>`;
    return html`<li><button type="button" class="member" data-user-id=${id} @click=${() => store.openProfile(id)}>
      <img class="avatar" src=${pictureOf(id, name, state)} alt="">
      <span class="member-text">${coloredName(member, state.roles)}${note}</span>
    </button></li>`;
  }

  store.on(['full_state', 'sidebar'], () => {
    findById('member-count').textContent = String(state.members.filter(({ isMember }) => isMember).length);
    render(state.members.map(item), findById('members'));
  });
  findById('profile-open').addEventListener('click', () => store.openProfile(state.userId));
}

type Role = State['roles'][number];

/** The roles of a member, highest first. */
function rolesOf(member: Member, roles: State['roles']): Role[] {
  return roles.filter(({ id }) => member.roles.includes(id)).toSorted((one, other) => other.position - one.position);
}

/** A member's name in the color of the highest role that has one, as in Discord's client. */
function coloredName(member: Member, roles: State['roles']): TemplateResult {
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
function roleChips(member: Member, roles: State['roles']): TemplateResult | null {
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
  store.on(['full_state', 'sidebar'], draw);
}

const colors = ['#4e5bd8', '#2d7d46', '#b3541e', '#a2317d', '#0f6f8f', '#b5323a'];

/** The picture of a member, the bot or the guild as a `data:` URL; the initial of the name without one. */
export function pictureOf(id: string, name: string, { pictures }: Pick<State, 'pictures'>): string {
  return pictures[id] ?? avatarUrl(id, name);
}

/**
 * A `data:` URL of an avatar: the initial on a color that depends on the id. Safe for any name: only one letter or digit of it is used,
 * and browsers do not run scripts in images.
 */
function avatarUrl(id: string, name: string): string {
  const color = colors[id === '' ? 0 : Number(BigInt(id) % BigInt(colors.length))];
  const letter = /[\p{L}\p{N}]/u.exec(name)?.[0]?.toUpperCase() ?? '?';
  const text = `<text x="20" y="27" fill="#fff" font-family="sans-serif" font-size="20" font-weight="600" text-anchor="middle">`;
  const circle = `<rect width="40" height="40" fill="${color}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80" viewBox="0 0 40 40">${circle}${text}${letter}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
