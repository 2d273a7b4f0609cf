import { crc32, deflateSync } from 'node:zlib';
import { type Interaction, MessageFlags, type TextChannel } from 'discord.js';
import type { Repertoire } from 'local-discord/testing/bot';
import { voteBot } from 'local-discord/testing/vote-bot';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { expectText, saveScreenshot, visitLocal } from './sandbox-page.ts';

/** A PNG of one color. */
function png(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    checksum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, checksum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits of gray
  header.writeUInt8(8, 8);
  const rows = Buffer.alloc(height * (width + 1), 90);
  for (let row = 0; row < height; row += 1) rows.writeUInt8(0, row * (width + 1));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const files = [{ name: 'picture.png', attachment: png(900, 450) }];
const embedded = () => ({
  embeds: [{ description: 'line\n'.repeat(12), image: { url: 'attachment://picture.png', description: 'A picture' } }],
  files,
});

/** Responds with a long embed and a picture. */
const pictures: Repertoire = {
  commands: [{ name: 'picture', description: 'Shows a picture.' }],
  async answer(interaction: Interaction) {
    if (interaction.isChatInputCommand()) await interaction.reply(embedded());
  },
};

const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const jump = (page: Page) => page.getByRole('button', { name: 'Jump to present' });

/** The distance from the end of the log (pixels). */
const distance = (messages: Locator) =>
  messages.evaluate((node) => Math.round(node.scrollHeight - node.scrollTop - node.clientHeight));

async function run(page: Page, command: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Slash command' }).pressSequentially(`${command} `);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
}

/** Scrolls up as a reader does, by `pixels`. */
async function scrollUp(page: Page, pixels: number): Promise<void> {
  const before = await log(page).evaluate((node) => node.scrollTop);
  await log(page).hover();
  // A wheel that turns while an answer scrolls the log to its end is lost.
  await vi.waitFor(async () => {
    await page.mouse.wheel(0, -pixels);
    await expect.poll(() => log(page).evaluate((node) => node.scrollTop)).toBeLessThan(before);
  }, 15_000);
}

describe('the chat', { timeout: 60_000 }, () => {
  it('stays at its end while pictures and long answers arrive, and after a reload', async () => {
    const { discord, bot, page, messages } = await visitLocal(pictures);
    for (const each of [1, 2, 3, 4]) {
      await run(page, '/picture');
      await expect.poll(() => messages.getByRole('article').count()).toBe(each);
      await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
    }
    const shown = messages.getByRole('img', { name: 'A picture' });
    await expect
      .poll(() =>
        shown.evaluateAll((images: HTMLImageElement[]) => images.map((each) => each.naturalWidth && each.clientHeight)),
      )
      .toEqual(Array(4).fill(200));
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
    await page.reload();
    await expect.poll(() => shown.count()).toBe(4);
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);

    // A role that is given must not draw the messages again, which would move the log.
    const [, tomas] = discord.members;
    await messages.getByRole('article').evaluateAll((nodes) => {
      for (const node of nodes) node.setAttribute('data-old', '');
    });
    const guild = await bot.guilds.fetch(discord.guildId);
    await guild.members.addRole({ user: tomas?.id ?? '', role: discord.roles.voter });
    await expectText(page.locator('#members'), 'Voter');
    expect(await messages.locator('[data-old]').count()).toBe(4);
  });

  it('shows one’s own answer when scrolled up, and offers to jump to what others cause', async () => {
    const { discord, bot, page, messages } = await visitLocal(voteBot);
    const channel = bot.channels.cache.get(discord.channels.announcements) as TextChannel;
    for (let each = 1; each <= 8; each += 1) await channel.send(`Number ${each}\n${'line\n'.repeat(12)}`);
    await expectText(messages, 'Number 8');
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
    expect(await jump(page).isVisible()).toBe(false);

    await scrollUp(page, 900);
    const before = await messages.evaluate((node) => node.scrollTop);
    await channel.send('News from others');
    await jump(page).waitFor();
    expect(await messages.evaluate((node) => node.scrollTop)).toBe(before);
    await saveScreenshot(page, 'jump');
    await jump(page).click();
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
    expect(await jump(page).isVisible()).toBe(false);

    await scrollUp(page, 900);
    await run(page, '/canvote');
    await expectText(messages, 'Only you can see this');
    await expect.poll(() => distance(messages)).toBeLessThanOrEqual(1);
  });

  it('reserves the place of pictures before they are loaded', async () => {
    const { discord, bot, page, messages } = await visitLocal(pictures);
    // The pictures never arrive.
    await page.route(/\/attachments\//, () => {});
    const channel = bot.channels.cache.get(discord.channels.announcements) as TextChannel;
    const media = { url: 'attachment://picture.png' };
    await channel.send(embedded());
    await channel.send({ content: 'attached', files });
    const gallery = { type: 12, items: [{ media, description: 'A picture' }] };
    await channel.send({ flags: MessageFlags.IsComponentsV2, components: [gallery as never], files });
    const size = (selector: string) =>
      messages.locator(selector).evaluate((image: HTMLImageElement) => {
        const { naturalWidth, clientWidth, clientHeight } = image;
        return [naturalWidth, clientWidth, clientHeight];
      });
    for (const [selector, expected] of [
      ['.discord-embed-image', [0, 400, 200]],
      ['discord-image-attachment img', [0, 550, 275]],
      ['.layout-gallery img', [0, 550, 275]],
    ] as const) {
      await messages.locator(selector).waitFor();
      await expect.poll(() => size(selector)).toEqual(expected);
    }
    await page.setViewportSize({ width: 390, height: 780 });
    await expect.poll(async () => (await size('discord-image-attachment img'))[1]).toBeLessThan(330);
    const [, width = 0, height] = await size('.layout-gallery img');
    expect(height).toBeCloseTo(width / 2, -1);
  });
});
