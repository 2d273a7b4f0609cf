import { avatarUrl } from './avatar.ts';
import { element, findById } from './element.ts';
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

  function render(): void {
    const { roles } = state;
    const member = shown();
    if (member === undefined) return;
    findById<HTMLImageElement>('profile-avatar').src = avatarUrl(member.id, member.name);
    findById('profile-name').replaceChildren(coloredName(member, roles));
    findById('profile-username').textContent = `@${member.username}`;
    findById('profile-roles').replaceChildren(
      roleChips(member, roles) ?? element('span', { class: 'left' }, 'No roles'),
    );
    accepts.checked = member.acceptsDirectMessages;
    membership.disabled = member.isOwner;
    membership.textContent = member.isMember ? 'Leave the server' : 'Join the server again';
  }

  async function send(path: '/page/members' | '/page/direct-messages', change: object): Promise<void> {
    const response = await postAction(path, { userId: state.profileId, ...change });
    error.textContent = response.error ?? '';
    render();
  }

  accepts.addEventListener('change', () => void send('/page/direct-messages', { accepted: accepts.checked }));
  membership.addEventListener('click', () => {
    void send('/page/members', { change: shown()?.isMember ? 'leave' : 'rejoin' });
  });
  findById('profile-close').addEventListener('click', () => dialog.close());
  store.subscribe(({ kind }) => {
    if (kind === 'full_state' || kind === 'sidebar') render();
    if (kind !== 'profile') return;
    error.textContent = '';
    render();
    dialog.showModal();
  });
}

type Member = State['members'][number];

/** The members with their roles; a click opens the profile. */
export function startMemberList(store: PageStore): void {
  const { state } = store;

  function item(member: Member): HTMLElement {
    const avatar = element('img', { class: 'avatar', src: avatarUrl(member.id, member.name), alt: '' });
    const name = coloredName(member, state.roles);
    const note = member.isMember
      ? roleChips(member, state.roles)
      : element('span', { class: 'left' }, 'left the server');
    return element(
      'li',
      {},
      element(
        'button',
        { type: 'button', class: 'member', 'data-user-id': member.id, onclick: () => store.openProfile(member.id) },
        avatar,
        element('span', { class: 'member-text' }, name, note),
      ),
    );
  }

  store.subscribe(({ kind }) => {
    if (kind !== 'full_state' && kind !== 'sidebar') return;
    const focusedId = (document.activeElement as HTMLElement | null)?.dataset['userId'];
    findById('member-count').textContent = String(state.members.filter(({ isMember }) => isMember).length);
    findById('members').replaceChildren(...state.members.map(item));
    if (focusedId) document.querySelector<HTMLElement>(`[data-user-id="${focusedId}"]`)?.focus();
  });
  findById('profile-open').addEventListener('click', () => store.openProfile(state.userId));
}
