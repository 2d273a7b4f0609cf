import { ButtonBuilder, ButtonStyle, type Client, ContainerBuilder, MessageFlags } from 'discord.js';
import type { LocalDiscord } from 'local-discord';
import { formsBot } from 'local-discord/testing/modals-bot';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectText, saveScreenshot, visitLocal } from './sandbox-page.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwACggF/yWn3aQAAAABJRU5ErkJggg==',
  'base64',
);

const text = [
  '### Week 47',
  '**Votes** for <@318044130796109825> in <#1190000000000000032>, due <t:1735689600:R>',
  '1. one',
  '2. two',
  '  - nested',
  '> quoted `code`',
  '-# small print',
].join('\n');

const thumbnail = (name: string) => ({ url: `attachment://${name}` });

/** Every kind of component, with a gallery of each number of images. */
function everything() {
  const container = new ContainerBuilder()
    .setAccentColor(0x57f287)
    .addTextDisplayComponents((display) => display.setContent(text))
    .addSeparatorComponents((separator) => separator.setSpacing(2))
    .addSectionComponents((section) =>
      section
        .addTextDisplayComponents((display) => display.setContent('**VIP for a week** · 50 credits'))
        .setButtonAccessory((button) => button.setCustomId('buy').setLabel('Buy').setStyle(3)),
    )
    .addSectionComponents((section) =>
      section
        .addTextDisplayComponents((display) => display.setContent('With a thumbnail'))
        .setThumbnailAccessory((image) => image.setURL('attachment://pixel.png').setDescription('A thumbnail')),
    )
    .addSeparatorComponents((separator) => separator.setDivider(false));
  for (const count of [1, 3, 5]) {
    container.addMediaGalleryComponents((gallery) =>
      gallery.addItems(
        Array.from({ length: count }, (_, index) => ({
          media: thumbnail('pixel.png'),
          description: `Picture ${index + 1} of ${count}`,
          spoiler: count === 3 && index === 2,
        })),
      ),
    );
  }
  return container
    .addFileComponents((file) => file.setURL('attachment://votes.csv'))
    .addActionRowComponents((row) =>
      row.addComponents(new ButtonBuilder({ style: ButtonStyle.Primary, label: 'Next', customId: 'next' })),
    );
}

async function show(discord: LocalDiscord, bot: Client) {
  const channel = await bot.channels.fetch(discord.channels.announcements);
  if (!channel?.isSendable()) throw new Error('The bot cannot send messages to the channel.');
  await channel.send({
    flags: MessageFlags.IsComponentsV2,
    components: [everything()],
    files: [
      { name: 'pixel.png', attachment: pixel },
      { name: 'votes.csv', attachment: Buffer.from('day,votes\n') },
    ],
  });
}

const box = async (locator: Locator) => {
  const found = await locator.boundingBox();
  if (found === null) throw new Error('The element is not visible.');
  return found;
};

describe('a message of components', { timeout: 60_000 }, () => {
  it('is drawn as Discord draws it', async () => {
    const { discord, bot, page, messages } = await visitLocal(formsBot, { viewport: { width: 1360, height: 1900 } });
    await show(discord, bot);
    const container = messages.locator('.layout-container');
    await expectText(container, 'Week 47');
    expect(await container.getByRole('heading', { name: 'Week 47', level: 3 }).count()).toBe(1);
    expect(await container.locator('ol.list > li').count()).toBe(2);
    expect(await container.locator('ol.list ul.list > li').innerText()).toBe('nested');
    const bar = (property: string) =>
      container.evaluate((node, name) => getComputedStyle(node, '::before').getPropertyValue(name), property);
    expect([await bar('background-color'), await bar('width')]).toEqual(['rgb(87, 242, 135)', '4px']);

    // The button is beside its text, at the right edge.
    const [section, label, buy] = await Promise.all(
      [
        container.locator('.layout-section').first(),
        container.getByText('VIP for a week'),
        container.getByRole('button', { name: 'Buy' }),
      ].map(box),
    );
    if (!section || !label || !buy) throw new Error('A part is missing.');
    expect(buy.x).toBeGreaterThan(label.x + label.width);
    expect(buy.x + buy.width).toBeCloseTo(section.x + section.width, 0);
    expect((await box(container.getByAltText('A thumbnail'))).width).toBe(85);

    // Three pictures: one large, and two above each other beside it.
    const [one, two, last] = await Promise.all(
      [1, 2]
        .map((index) => box(container.getByAltText(`Picture ${index} of 3`)))
        .concat(box(container.locator('.layout-spoiler'))),
    );
    if (!one || !two || !last) throw new Error('A picture is missing.');
    expect(two.x).toBeGreaterThan(one.x + one.width);
    expect([two.x, two.width]).toEqual([last.x, last.width]);
    expect(last.y + last.height).toBeCloseTo(one.y + one.height, 0);
    const loaded = await container
      .locator('img')
      .evaluateAll((images) => images.every((image) => image instanceof HTMLImageElement && image.naturalWidth === 1));
    expect(loaded).toBe(true);
    await saveScreenshot(page, 'components');
    await container.getByRole('button', { name: 'Spoiler, press to show' }).click();
    expect(await container.locator('.layout-spoiler').count()).toBe(0);

    expect(await container.locator('discord-file-attachment').getAttribute('name')).toBe('votes.csv');
    expect(
      await container.locator('hr').evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().height)),
    ).toEqual([1, 0]);
    await container.locator('discord-button', { hasText: 'Next' }).click();
    await page.getByRole('dialog', { name: 'Your feedback' }).waitFor();
  });
});

describe('the settings of the page', { timeout: 60_000 }, () => {
  it('change the languages of member and guild, and the theme of the messages', async () => {
    const { discord, bot, page, messages } = await visitLocal(formsBot, { colorScheme: 'dark' });
    await show(discord, bot);
    await expectText(messages, /due \d+ years? ago/);
    await page.getByRole('button', { name: 'Settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await settings.getByLabel('Language of Mira').selectOption('日本語');
    await expectText(messages, /due \d+ 年前/);
    expect(await messages.locator('discord-messages').getAttribute('lang')).toBe('ja');
    await settings.getByLabel('Language of the server').selectOption('Deutsch');
    await expect.poll(() => discord.exportState().guildLocale).toBe('de');
    const ground = () => page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
    const dark = await ground();
    await settings.getByLabel('Theme').selectOption('Light');
    expect(await ground()).toBe('rgb(255, 255, 255)');
    expect(
      await messages
        .locator('discord-message')
        .first()
        .evaluate((node) => node.matches('[light-theme] *')),
    ).toBe(true);
    await settings.getByRole('button', { name: 'Close' }).click();
    await saveScreenshot(page, 'components-light');
    await page.reload();
    await expectText(messages, /due \d+ 年前/);
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Settings' }).click();
    await settings.getByLabel('Theme').selectOption('Like the system');
    expect(await ground()).toBe(dark);
    await settings.getByRole('button', { name: 'Close' }).click();

    await page.getByLabel('Acting as').selectOption('Tomás');
    await expectText(messages, /due \d+ years? ago/);
  });
});
