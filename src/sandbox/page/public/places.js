import { avatar } from './avatar.js';
import { element, find } from './element.js';
import { visibleChannels } from './store.js';

/** The guild's name, its channels, and who is acting. */
export function startPlaces(store) {
  const { state } = store;
  const acting = find('acting-as');
  acting.addEventListener('change', () => store.actAs(acting.value));

  function drawChannels() {
    const items = visibleChannels(state).map((channel) => {
      const open = channel.id === state.channelId;
      const unread = state.unread.has(channel.id);
      return element(
        'li',
        {},
        element(
          'button',
          {
            type: 'button',
            class: unread ? 'channel unread' : 'channel',
            'aria-current': open ? 'page' : undefined,
            'data-channel-id': channel.id,
            onclick: () => store.openChannel(channel.id),
          },
          element('span', { class: 'sign', 'aria-hidden': 'true' }, channel.with ? '@' : '#'),
          channel.name,
          unread ? element('span', { class: 'new' }, 'new') : null,
        ),
      );
    });
    const focused = document.activeElement?.dataset?.channelId;
    find('channels').replaceChildren(...items);
    if (focused) find('channels').querySelector(`[data-channel-id="${focused}"]`)?.focus();
  }

  function drawActing() {
    acting.replaceChildren(...state.members.map(({ id, name }) => element('option', { value: id }, name)));
    acting.value = state.userId ?? '';
    const member = state.members.find(({ id }) => id === state.userId);
    if (member) {
      const drawn = avatar(member.id, member.name);
      drawn.id = 'acting-avatar';
      find('acting-avatar').replaceWith(drawn);
    }
  }

  store.subscribe((kind) => {
    if (['everything', 'places', 'channel', 'acting', 'message'].includes(kind)) drawChannels();
    if (['everything', 'places', 'acting'].includes(kind)) drawActing();
    if (kind === 'everything') find('guild-name').textContent = state.guild.name;
  });
}
