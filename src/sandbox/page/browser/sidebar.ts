import { avatarUrl } from './avatar.ts';
import { element, findById } from './element.ts';
import { type PageStore, type State, visibleChannels } from './store.ts';

type Channel = State['channels'][number];

/** The guild's name, the channels, and the selection of the acting member. */
export function startSidebar(store: PageStore): void {
  const { state } = store;
  const memberSelect = findById<HTMLSelectElement>('acting-as');
  memberSelect.addEventListener('change', () => store.actAs(memberSelect.value));

  function renderChannels(): void {
    const focusedId = (document.activeElement as HTMLElement | null)?.dataset['channelId'];
    const channels = visibleChannels(state);
    const directChannels = channels.filter((channel) => channel.with !== null);
    findById('channels').replaceChildren(...channels.filter((channel) => channel.with === null).map(channelItem));
    findById('direct-channels').replaceChildren(...directChannels.map(channelItem));
    findById('direct').hidden = directChannels.length === 0;
    if (focusedId) document.querySelector<HTMLElement>(`[data-channel-id="${focusedId}"]`)?.focus();
  }

  function channelItem(channel: Channel): HTMLElement {
    const isUnread = state.unread.has(channel.id);
    return element(
      'li',
      {},
      element(
        'button',
        {
          type: 'button',
          class: isUnread ? 'channel unread' : 'channel',
          'aria-current': channel.id === state.channelId ? 'page' : null,
          'data-channel-id': channel.id,
          onclick: () => store.openChannel(channel.id),
        },
        element('span', { class: 'sign', 'aria-hidden': 'true' }, channel.with === null ? '#' : '@'),
        channel.name,
        isUnread ? element('span', { class: 'new' }, 'new') : null,
      ),
    );
  }

  function renderMember(): void {
    memberSelect.replaceChildren(...state.members.map(({ id, name }) => element('option', { value: id }, name)));
    memberSelect.value = state.userId;
    const member = state.members.find(({ id }) => id === state.userId);
    if (member) findById<HTMLImageElement>('acting-avatar').src = avatarUrl(member.id, member.name);
  }

  store.subscribe(({ kind }) => {
    if (['full_state', 'sidebar', 'channel', 'acting', 'message'].includes(kind)) renderChannels();
    if (['full_state', 'sidebar', 'acting'].includes(kind)) renderMember();
    if (kind === 'full_state') {
      findById('guild-name').textContent = state.guild.name;
      findById('guild-icon').textContent = initials(state.guild.name);
    }
  });
}

/** The text that Discord shows for a guild without an icon. */
function initials(name: string): string {
  return (name.match(/(?<=^|\s)\S/gu) ?? []).slice(0, 3).join('');
}
