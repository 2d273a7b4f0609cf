import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hour } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { rest } from 'local-discord/testing/local';
import { describe, expect, it } from 'vitest';
import { timelineOf, wholeSandbox } from '../support/whole-sandbox.ts';

const mira = '318044130796109825';
const vote = { kind: 'server', userId: mira, username: 'mira' } as const;

describe('a stopped sandbox', { timeout: 120_000 }, () => {
  it('continues with its messages, nonces, roles, direct messages, credits and time', async () => {
    const directory = tempDir();
    const first = await wholeSandbox({ directory });
    const { delivery } = timelineOf(first);
    first.clock.advance(12 * hour);
    await first.service.castVote(vote);
    await delivery(({ isSettled }) => isSettled);
    const ask = rest(first.discord);
    const { guildId, roles } = first.discord;
    await ask('PUT', `/guilds/${guildId}/members/${mira}/roles/${roles.voter}`);
    const { id: direct } = await ask('POST', '/users/@me/channels', { recipient_id: mira });
    await ask('POST', `/channels/${direct}/messages`, { content: 'You can vote again.' });
    const { announcements } = first.discord.channels;
    const announced = first.discord.messages(announcements);
    const once = { content: 'once', nonce: 'n', enforce_nonce: true };
    const path = `/channels/${first.discord.channels.general}/messages`;
    const { id } = await ask('POST', path, once);
    const stoppedAt = first.clock.now();
    await first.stop();

    const again = await wholeSandbox({ directory });
    expect(again.clock.now()).toBeGreaterThanOrEqual(stoppedAt);
    expect(again.clock.now()).toBeLessThan(stoppedAt + hour);
    expect(again.discord.messages(announcements)).toEqual(announced);
    expect(again.discord.rolesOf(mira)).toContain(roles.voter);
    expect(again.discord.directMessages(mira).map(({ content }) => content)).toEqual(['You can vote again.']);
    expect((await again.app.ledger.account(mira))?.credits).toBe(10);
    expect((await rest(again.discord)('POST', path, once)).id).toBe(id);
    expect(await again.service.castVote(vote)).toMatchObject({ recorded: false });
  });

  it('starts Discord with empty state and a warning if the state file is invalid', async () => {
    const directory = tempDir();
    writeFileSync(join(directory, 'discord.json'), '{"version":1,"messages":[{"id":');
    const sandbox = await wholeSandbox({ directory });
    expect(sandbox.discord.messages(sandbox.discord.channels.announcements)).toEqual([]);
    expect(existsSync(join(directory, 'discord.json.damaged'))).toBe(true);
  });
});

describe('a sandbox without a seed', { timeout: 120_000 }, () => {
  it('has the same listings without votes and reviews, also after a restart', async () => {
    const directory = tempDir();
    const first = await wholeSandbox({ directory, seed: 'none' });
    const { delivery } = timelineOf(first);
    expect(await first.service.castVote(vote)).toMatchObject({ recorded: true });
    await delivery(({ isSettled }) => isSettled);
    const { general } = first.discord.channels;
    await eventually(() => expect(first.discord.commands().map(({ name }) => name)).toContain('reviews'));
    const use = { name: 'reviews', userId: mira, channelId: general };
    const shown = JSON.stringify((await first.discord.runCommand(use).settled).embeds);
    expect(shown).toContain('Nobody has written a review yet');
    await first.stop();
    const again = await wholeSandbox({ directory, seed: 'none' });
    expect((await again.service.listings()).map(({ name }) => name)).toEqual(['Lantern Harbour', 'Quartermaster']);
  });
});
