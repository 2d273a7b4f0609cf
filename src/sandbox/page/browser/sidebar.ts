import { avatarUrl } from './avatar.ts';
import { element, findById } from './element.ts';
import { postAction } from './requests.ts';
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
    const ofKind = (wanted: Channel['kind']) => channels.filter(({ kind }) => kind === wanted);
    const [guildChannels, otherChannels, directChannels] = [ofKind('guild'), ofKind('other_guild'), ofKind('direct')];
    findById('channels').replaceChildren(...guildChannels.map(channelItem));
    findById('other-channels').replaceChildren(...otherChannels.map(channelItem));
    const conversation = directChannels.length > 0 ? directChannels.map(channelItem) : [newConversation()];
    findById('direct-channels').replaceChildren(...conversation, ...ofKind('group').map(channelItem));
    findById('text-channels').hidden = guildChannels.length === 0;
    findById('elsewhere').hidden = otherChannels.length === 0;
    if (focusedId) document.querySelector<HTMLElement>(`[data-channel-id="${focusedId}"]`)?.focus();
  }

  function channelItem(channel: Channel): HTMLElement {
    const unread = state.unread.get(channel.id) ?? 0;
    const isUnread = unread > 0;
    const isDirect = channel.kind === 'direct' || channel.kind === 'group';
    const badge = isDirect ? `${unread} new` : 'new';
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
        element('span', { class: 'sign', 'aria-hidden': 'true' }, isDirect ? '@' : '#'),
        channel.name,
        isUnread ? element('span', { class: 'new' }, badge) : null,
      ),
    );
  }

  /** Opens the direct messages with the bot, which exist after the first one only. */
  function newConversation(): HTMLElement {
    const onclick = async () => {
      const response = await postAction('/page/conversations', { userId: state.userId });
      if (response.error === undefined) store.openChannel(response.channelId);
    };
    const sign = element('span', { class: 'sign', 'aria-hidden': 'true' }, '@');
    return element('li', {}, element('button', { type: 'button', class: 'channel', onclick }, sign, state.bot.name));
  }

  /** The name in the list of the acting members, with the direct messages that wait for another one. */
  function optionLabel({ id, name }: State['members'][number]): string {
    const channel = state.channels.find((each) => each.with === id);
    const unread = channel === undefined || id === state.userId ? 0 : (state.unread.get(channel.id) ?? 0);
    return unread > 0 ? `${name} (${unread} new)` : name;
  }

  function renderMember(): void {
    memberSelect.replaceChildren(
      ...state.members.map((each) => element('option', { value: each.id }, optionLabel(each))),
    );
    memberSelect.value = state.userId;
    const member = state.members.find(({ id }) => id === state.userId);
    if (member) findById<HTMLImageElement>('acting-avatar').src = avatarUrl(member.id, member.name);
  }

  store.subscribe(({ kind }) => {
    if (['full_state', 'sidebar', 'channel', 'acting', 'message'].includes(kind)) renderChannels();
    if (['full_state', 'sidebar', 'acting', 'message', 'channel'].includes(kind)) renderMember();
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

/** The name and topic of the open channel, and the bot's connection status. */
export function startChannelBar(store: PageStore): void {
  const { state } = store;
  store.subscribe(({ kind }) => {
    if (!['full_state', 'sidebar', 'channel', 'acting', 'live'].includes(kind)) return;
    const channel = state.channels.find(({ id }) => id === state.channelId);
    const name = findById('channel-name');
    name.textContent = channel?.name ?? '';
    name.classList.toggle('direct', channel?.kind === 'direct' || channel?.kind === 'group');
    findById('channel-topic').textContent = channel?.topic ?? '';
    const connection = findById('connection');
    connection.textContent = !state.live ? 'Sandbox unreachable' : state.connected ? 'Bot online' : 'Bot offline';
    connection.dataset['state'] = state.live && state.connected ? 'good' : 'bad';
  });
}
