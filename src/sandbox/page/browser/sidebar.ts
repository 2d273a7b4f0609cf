import { avatarUrl } from './avatar.ts';
import { element, find } from './element.ts';
import { type PageStore, type State, visibleChannels } from './store.ts';

type Channel = State['channels'][number];

/** The guild's name, its channels, the direct messages, and who is acting. */
export function startPlaces(store: PageStore): void {
  const { state } = store;
  const acting = find<HTMLSelectElement>('acting-as');
  acting.addEventListener('change', () => store.actAs(acting.value));

  function drawChannels(): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset['channelId'];
    const channels = visibleChannels(state);
    const direct = channels.filter((channel) => channel.with !== null);
    find('channels').replaceChildren(...channels.filter((channel) => channel.with === null).map(channelItem));
    find('direct-channels').replaceChildren(...direct.map(channelItem));
    find('direct').hidden = direct.length === 0;
    if (focused) document.querySelector<HTMLElement>(`[data-channel-id="${focused}"]`)?.focus();
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

  function drawActing(): void {
    acting.replaceChildren(...state.members.map(({ id, name }) => element('option', { value: id }, name)));
    acting.value = state.userId;
    const member = state.members.find(({ id }) => id === state.userId);
    if (member) find<HTMLImageElement>('acting-avatar').src = avatarUrl(member.id, member.name);
  }

  store.subscribe(({ kind }) => {
    if (['everything', 'places', 'channel', 'acting', 'message'].includes(kind)) drawChannels();
    if (['everything', 'places', 'acting'].includes(kind)) drawActing();
    if (kind === 'everything') {
      find('guild-name').textContent = state.guild.name;
      find('guild-icon').textContent = initials(state.guild.name);
    }
  });
}

/** What Discord puts in the place of a guild's icon. */
function initials(name: string): string {
  return (name.match(/(?<=^|\s)\S/gu) ?? []).slice(0, 3).join('');
}
