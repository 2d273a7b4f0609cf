import { avatarUrl } from './avatar.ts';
import { element, findById } from './element.ts';
import { coloredName, roleChips } from './role-chips.ts';
import type { PageStore, State } from './store.ts';

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
