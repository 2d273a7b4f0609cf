import { findById } from './element.ts';
import type { PageStore } from './store.ts';

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
