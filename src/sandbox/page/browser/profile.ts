import { avatarUrl } from './avatar.ts';
import { findById, html, render, type TemplateResult } from './element.ts';
import { postAction } from './requests.ts';
import { coloredName, roleChips } from './roles.ts';
import type { PageStore, State } from './store.ts';

/** The dialog with a user's roles, and what the user can do: leave the guild, and accept no direct messages. */
export function startProfile(store: PageStore): void {
  const { state } = store;
  const dialog = findById<HTMLDialogElement>('profile');
  const error = findById('profile-error');
  const accepts = findById<HTMLInputElement>('profile-accepts');
  const membership = findById<HTMLButtonElement>('profile-membership');
  const shown = () => state.members.find(({ id }) => id === state.profileId);

  function draw(): void {
    const { roles } = state;
    const member = shown();
    if (member === undefined) return;
    findById<HTMLImageElement>('profile-avatar').src = avatarUrl(member.id, member.name);
    render(coloredName(member, roles), findById('profile-name'));
    findById('profile-username').textContent = `@${member.username}`;
    render(roleChips(member, roles) ?? html`<span class="left">No roles</span>`, findById('profile-roles'));
    accepts.checked = member.acceptsDirectMessages;
    membership.disabled = member.isOwner;
    membership.textContent = member.isMember ? 'Leave the server' : 'Join the server again';
  }

  async function send(path: '/page/members' | '/page/direct-messages', change: object): Promise<void> {
    const response = await postAction(path, { userId: state.profileId, ...change });
    error.textContent = response.error ?? '';
    draw();
  }

  accepts.addEventListener('change', () => void send('/page/direct-messages', { accepted: accepts.checked }));
  membership.addEventListener('click', () => {
    void send('/page/members', { change: shown()?.isMember ? 'leave' : 'rejoin' });
  });
  findById('profile-close').addEventListener('click', () => dialog.close());
  store.subscribe(({ kind }) => {
    if (kind === 'full_state' || kind === 'sidebar') draw();
    if (kind !== 'profile') return;
    error.textContent = '';
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
      <img class="avatar" src=${avatarUrl(id, name)} alt="">
      <span class="member-text">${coloredName(member, state.roles)}${note}</span>
    </button></li>`;
  }

  store.subscribe(({ kind }) => {
    if (kind !== 'full_state' && kind !== 'sidebar') return;
    findById('member-count').textContent = String(state.members.filter(({ isMember }) => isMember).length);
    render(state.members.map(item), findById('members'));
  });
  findById('profile-open').addEventListener('click', () => store.openProfile(state.userId));
}
