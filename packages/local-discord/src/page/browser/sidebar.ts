import { findById, html, type KeyedTemplate, nothing, render, renderKeyed } from './element.ts';
import { pictureOf } from './profile.ts';
import { postAction, program } from './requests.ts';
import { actingMember, type PageStore, type State, visibleChannels } from './store.ts';

type Channel = State['channels'][number];

/** The guild's name, the channels, and the selection of the acting member. */
export function startSidebar(store: PageStore): void {
  const { state } = store;
  const memberSelect = findById<HTMLSelectElement>('acting-as');
  memberSelect.addEventListener('change', () => store.actAs(memberSelect.value));

  function renderChannels(): void {
    const channels = visibleChannels(state);
    const ofKind = (wanted: Channel['kind']) => channels.filter(({ kind }) => kind === wanted);
    const [guildChannels, otherChannels, directChannels] = [ofKind('guild'), ofKind('other_guild'), ofKind('direct')];
    const threadsOf = ({ id }: Channel) => channels.filter(({ thread }) => thread?.parentId === id);
    const withThreads = guildChannels.flatMap((channel) => [channel, ...threadsOf(channel)]);
    renderKeyed(withThreads.map(channelItem), findById('channels'));
    renderKeyed(otherChannels.map(channelItem), findById('other-channels'));
    const conversation = directChannels.length > 0 ? directChannels.map(channelItem) : [newConversation()];
    renderKeyed([...conversation, ...ofKind('group').map(channelItem)], findById('direct-channels'));
    findById('text-channels').hidden = guildChannels.length === 0;
    findById('elsewhere').hidden = otherChannels.length === 0;
  }

  function channelItem(channel: Channel): KeyedTemplate {
    const { id, kind, name } = channel;
    const unread = state.unread.get(id) ?? 0;
    const isDirect = kind === 'direct' || kind === 'group';
    const badge = unread > 0 ? html`<span class="new">${isDirect ? `${unread} new` : 'new'}</span>` : nothing;
    const current = id === state.channelId ? 'page' : nothing;
    const sign = kind === 'thread' ? '⤷' : isDirect ? '@' : '#';
    const template = html`<li class=${kind === 'thread' ? 'in-channel' : nothing}><button type="button" class=${unread > 0 ? 'channel unread' : 'channel'} aria-current=${current} data-channel-id=${id} @click=${() => store.openChannel(id)}><span class="sign" aria-hidden="true">${sign}</span>${name}${badge}</button></li>`;
    return { key: id, template };
  }

  /** Opens the direct messages with the bot, which exist after the first one only. */
  function newConversation(): KeyedTemplate {
    const open = async () => {
      const response = await postAction('/page/conversations', { userId: state.userId });
      if (response.error === undefined) store.openChannel(response.channelId);
    };
    const template = html`<li><button type="button" class="channel" @click=${open}><span class="sign" aria-hidden="true">@</span>${state.bot.name}</button></li>`;
    return { key: 'new', template };
  }

  /** The name in the list of the acting members, with the direct messages that wait for another one. */
  function optionLabel({ id, name }: State['members'][number]): string {
    const channel = state.channels.find((each) => each.with === id);
    const unread = channel === undefined || id === state.userId ? 0 : (state.unread.get(channel.id) ?? 0);
    return unread > 0 ? `${name} (${unread} new)` : name;
  }

  function renderMember(): void {
    render(
      state.members.map((each) => html`<option value=${each.id}>${optionLabel(each)}</option>`),
      memberSelect,
    );
    memberSelect.value = state.userId;
    const member = actingMember(state);
    if (member) findById<HTMLImageElement>('acting-avatar').src = pictureOf(member.id, member.name, state);
  }

  store.on(['full_state', 'sidebar', 'channel', 'acting', 'message'], () => {
    renderChannels();
    renderMember();
  });
  store.on(['full_state'], () => {
    findById('guild-name').textContent = state.guild.name;
    const { id, name } = state.guild;
    const picture = state.pictures[id];
    render(picture === undefined ? initials(name) : html`<img src=${picture} alt="">`, findById('guild-icon'));
  });
}

/** The text that Discord shows for a guild without an icon. */
function initials(name: string): string {
  return (name.match(/(?<=^|\s)\S/gu) ?? []).slice(0, 3).join('');
}

/** The name and topic of the open channel, and the bot's connection status. */
export function startChannelBar(store: PageStore): void {
  const { state } = store;
  store.on(['full_state', 'sidebar', 'channel', 'acting', 'live'], () => {
    const channel = state.channels.find(({ id }) => id === state.channelId);
    const name = findById('channel-name');
    name.textContent = channel?.name ?? '';
    name.classList.toggle('direct', channel?.kind === 'direct' || channel?.kind === 'group');
    findById('channel-topic').textContent = channel?.topic ?? '';
    const connection = findById('connection');
    connection.textContent = !state.live
      ? `${program[0]?.toUpperCase()}${program.slice(1)} unreachable`
      : state.connected
        ? 'Bot online'
        : 'Bot offline';
    connection.dataset['state'] = state.live && state.connected ? 'good' : 'bad';
  });
}
