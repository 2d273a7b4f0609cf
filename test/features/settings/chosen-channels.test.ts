import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { describe, expect, it, onTestFinished } from 'vitest';
import { setup as setupCommand } from '../../../commands/setup.ts';
import type { CommandInput } from '../../../src/discord/commands/command.ts';
import { createGuildChannels } from '../../../src/discord/inspection.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { settings } from '../../../src/features/settings.ts';
import { openStore } from '../../../src/features/store.ts';
import { contextFor, fakeLookup, inputOf } from '../../support/command-fixture.ts';
import { firstCommunity } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { setupServicesOver } from '../../support/setup-over.ts';

/** `/setup` of a manager of the local Discord's guild, whose interactions say nothing about what was selected. */
async function setUp({ guildId: otherId }: { readonly guildId?: string } = {}) {
  const discord = await localDiscord();
  const guildId = otherId ?? discord.guildId;
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const log = createLog({ level: 'silent', secrets: [] });
  const channelsOf = createGuildChannels({ rest, clock: systemClock, log });
  const store = await openStore(newSqliteUrl(), systemClock, { thread: false });
  onTestFinished(() => store.close());
  const environment = environmentWith([{ ...harbour, guildId }]);
  const setup = setupServicesOver(store, { checks: { channelsOf }, environment });
  const standings = store.standingsIn(firstCommunity, 'UTC');
  const context = { ...contextFor({ name: 'harbour', lookup: fakeLookup('server', {}) }), setup, standings };
  let interactions = 0;

  async function send(action: string, input: Partial<CommandInput>, options: CommandInput['options'] = {}) {
    interactions += 1;
    const used = { action, guildId, isManager: true, interactionId: `interaction ${interactions}`, ...input };
    return JSON.stringify(await setupCommand.execute(inputOf({ l: 'harbour', ...options }, used), context));
  }

  return {
    discord,
    send,
    submit: (fields: CommandInput['fields']) => send('submit', { fields }, { f: 'channels' }),
    importing: (listing: object) =>
      send('imported', { fields: { settings: JSON.stringify({ listings: [{ name: 'harbour', ...listing }] }) } }),
    async changed() {
      const queues = await store.outbox.queuesAfter('', 10, systemClock.now());
      return [...(await setup.settings.changes(guildId, { before: null, limit: 10 })), ...queues];
    },
  };
}

const refused = 'This is not a channel of this server.';

describe('a channel that is chosen in /setup', () => {
  it('is one of the same server, whatever a component or modal contains', async () => {
    const { discord, send, submit, changed } = await setUp();
    const own = discord.channels.announcements;
    const texts = [discord.channels.otherGuild, 'role 1', 'confirmation x', '..', `0${own}`, `${own} `, 'constructor'];
    for (const text of [...texts, 'x'.repeat(15_900), '\0']) {
      expect(await send('panel-channel', { values: [text] }), text).toContain(refused);
      expect(await send('channel', { values: [text] }), text).toContain(refused);
      for (const name of ['announceChannel', 'premiumChannel', 'ownerChannel']) {
        expect(await submit({ [name]: [text] }), `${name} ${text}`).toContain(refused);
      }
    }
    expect(await changed()).toEqual([]);
    expect(await submit({ announceChannel: [own] })).not.toContain(refused);
    expect(await send('panel-channel', { values: [own] })).toContain(own);
    expect(await changed()).toHaveLength(2);
  });

  it('is one of the same server in an imported text', async () => {
    const { discord, importing, changed } = await setUp();
    const { announcements, otherGuild } = discord.channels;
    for (const { path } of settings.filter((spec) => 'isChannel' in spec)) {
      for (const id of [otherGuild, '123456789012345678', Number(announcements), [announcements]]) {
        expect(await importing({ [path]: id }), `${path} ${String(id)}`).toContain(refused);
      }
    }
    expect(await changed()).toEqual([]);
    expect(await importing({ announceChannelId: announcements, premiumChannelId: null })).toContain('Saved');
  });

  it('is refused while Discord does not list those of the server', async () => {
    const { discord, importing, send } = await setUp({ guildId: '123456789012345678' });
    const { announcements } = discord.channels;
    const unknown = 'Discord did not say in time which channels this server has.';
    expect(await importing({ announceChannelId: announcements })).toContain(unknown);
    expect(await send('panel-channel', { values: [announcements] })).toContain(unknown);
  });
});
