import { execFileSync } from 'node:child_process';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import type { Message } from 'local-discord';
import { describe, expect, it, vi } from 'vitest';
import { controlsOf } from '../../packages/local-discord/src/objects.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';
import { localDiscord } from '../support/local-discord.ts';
import { blocksOf, textOf } from '../support/message-text.ts';
import { startProgram } from '../support/start-program.ts';

const patience = { timeout: 30_000, interval: 100 };
const notStored = 'This cannot be saved at the moment, so nothing was changed. Please try again <t:';
const notCharged = 'You cannot buy this at the moment. Nothing was charged. Please try again later.';

/** The program with a shop, and a member with 100 credits. */
async function startShop() {
  const discord = await localDiscord();
  const { guildId, channels } = discord;
  const shop = [{ id: 'shout', name: 'Shout-out', price: 50, manual: true }];
  const environment = {
    ...environmentWith([{ ...harbour, guildId, ownerChannelId: channels.premium, shop }]),
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1' },
    ...{ CACHE_URL: 'memory:', PORT: '0' },
  };
  const running = startProgram(['start'], environment, tempDir());
  const [manager, member] = discord.members;
  if (manager === undefined || member === undefined) throw new Error('The local Discord has no members.');
  const run = (name: string, options: Record<string, string | number> = {}, userId = member.id) =>
    discord.runCommand({ channelId: channels.general, name, options, userId }).settled;
  const press = (message: Message, part: string, userId = member.id) => {
    const found = controlsOf(message.components).find(
      (each) => each.custom_id?.includes(part) || ('label' in each && each.label === part),
    );
    return discord.clickButton(message.id, found?.custom_id ?? '', userId);
  };
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('setup'), patience);
  const award = { user: member.id, credits: 100, reason: 'deposit' };
  await vi.waitFor(() => expect(discord.connected).toBe(true), patience);
  expect(textOf(await run('award', award, manager.id))).toContain('100');

  /** As on a disk that rejects every write. A soft limit needs no privilege and can be removed. */
  const limitWrites = (bytes: 0 | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(running.process.pid), `--fsize=${bytes}:`]);
  return { discord, running, manager, member, award, run, press, limitWrites };
}

describe('a command that cannot be stored, because the disk is full,', { timeout: 90_000 }, () => {
  it('says so in plain words, and works as soon as there is room', async () => {
    const { discord, running, manager, award, run, press, limitWrites } = await startShop();
    const confirmation = await press(await run('shop'), 'item=shout').settled;
    const forget = await run('privacy', { action: 'forget' });
    const setup = await run('setup', {}, manager.id);
    const section = await press(setup, 's=cooldown', manager.id).settled;
    const form = press(section, 'Edit', manager.id);
    await form.response;
    limitWrites(0);

    const purchase = await press(confirmation, 'Confirm').settled;
    expect(textOf(purchase)).toContain(notCharged);
    // The confirmation is still there.
    expect(purchase.id).not.toBe(confirmation.id);
    const others = {
      award: await run('award', award, manager.id),
      remind: await run('remind', { state: 'on' }),
      forget: await press(forget, 'Confirm').settled,
      setup: await discord.submitModal({ interactionId: form.id, userId: manager.id, values: { cooldownHours: '8' } })
        .settled,
    };
    for (const [name, message] of Object.entries(others))
      expect(blocksOf(message).join('\n'), name).toContain(notStored);
    expect(running.output()).not.toContain('command failed');
    expect(textOf(await run('credits'))).toContain('100');

    limitWrites('unlimited');
    const bought = await press(confirmation, 'Confirm').settled;
    expect(blocksOf(bought).join('\n')).toContain('You bought');
    expect(textOf(await run('credits'))).toContain('50');
  });
});
