import { violationsInBothSchemes } from '@tallyhook/platform/testing/browser/violations';
import type { TextChannel } from 'discord.js';
import { voteBot } from 'local-discord/testing/vote-bot';
import { describe, expect, it } from 'vitest';
import { expectText, visitLocal, visitSandbox } from './sandbox-page.ts';

describe('the page is accessible', { timeout: 90_000 }, () => {
  it('with announcements, answers, dialogs and the picker', async () => {
    const { page, messages, type } = await visitSandbox({}, { seed: 'none' });
    const run = async (command: string) => {
      await type(`${command} `);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
    };
    await page.getByRole('button', { name: 'Vote for the server Lantern Harbour' }).click();
    await expectText(messages, /mira.? voted for/);
    await run('/canvote');
    await expectText(messages, 'Only you can see this');
    await run('/leaderboard');
    await expectText(messages, 'Most credits');
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Profile' }).click();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await type('/');
    await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
  });

  it('with every kind of small text', async () => {
    const { discord, bot, page, messages, type } = await visitLocal(voteBot);
    const channel = bot.channels.cache.get(discord.channels.announcements) as TextChannel;
    const text =
      '-# Small print, due <t:1735689600:R> for <@1> in `code`\n> quoted <t:1735689600:D>\n[A link](https://x.example)';
    await channel.send(text);
    await channel.send({ embeds: [{ title: 'An embed', description: text, footer: { text: 'Below' } }] });
    await type('/canvote ');
    await page.keyboard.press('Enter');
    await expectText(messages, 'Only you can see this');
    await expectText(messages, 'Below');
    expect(await violationsInBothSchemes(page)).toEqual([]);
  });
});

describe('the layout of the page', { timeout: 60_000 }, () => {
  it('aligns headings and roles in a profile, and keeps blocks of code inside, below their text', async () => {
    const { discord, bot, page, messages } = await visitLocal(voteBot);
    const channel = bot.channels.cache.get(discord.channels.announcements) as TextChannel;
    const code = { type: 10, content: '**Address**\n```\nhttps://x.example\n```' };
    await channel.send({ flags: 1 << 15, components: [{ type: 17, components: [code] } as never] });
    const block = messages.locator('.layout-container discord-code code');
    await block.waitFor();
    const [outer, label, inner] = await Promise.all(
      [messages.locator('.layout-container'), messages.getByText('Address'), block].map((each) => each.boundingBox()),
    );
    if (!outer || !label || !inner) throw new Error('A part is missing.');
    expect(inner.y - (label.y + label.height)).toBeGreaterThanOrEqual(4);
    expect(inner.x).toBeGreaterThanOrEqual(outer.x + 16);
    expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width - 16);

    await page.getByRole('button', { name: 'Profile' }).click();
    const title = page.locator('#profile-roles-title');
    const indent = await title.evaluate((node) => getComputedStyle(node).paddingInlineStart);
    expect(indent).toBe('0px');
  });

  it('keeps the buttons of a page in a row on a phone', async () => {
    const { page, messages, type } = await visitSandbox({ viewport: { width: 390, height: 780 } });
    await type('/reviews ');
    await page.keyboard.press('Enter');
    const buttons = ['Previous', 'Next'].map((name) => messages.getByRole('button', { name, exact: true }));
    await buttons[1]?.waitFor();
    const tops = await Promise.all(buttons.map(async (button) => (await button.boundingBox())?.y));
    expect(new Set(tops).size).toBe(1);
  });
});
