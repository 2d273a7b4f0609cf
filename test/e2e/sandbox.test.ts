import { day, hour, minute } from '@tallyhook/platform/durations';
import { formsBot } from 'local-discord/testing/modals-bot';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectText, saveScreenshot, tabTo, visitSandbox as visit, visitLocal } from './sandbox-page.ts';

const visitForms = () => visitLocal(formsBot);

const troubleButton = (page: Page, name: RegExp) => page.getByRole('button', { name });
const delivery = (page: Page, title: string | RegExp) => page.locator('.delivery').filter({ hasText: title }).first();

const vote = (page: Page) => page.getByRole('button', { name: 'Vote for the server Lantern Harbour' });

describe('the sandbox', { timeout: 60_000 }, () => {
  it('shows what a streak, a milestone and a party pay', async () => {
    const { sandbox, page, messages } = await visit({}, { seed: 'none' });
    const { clock } = sandbox;
    // A party is of one week, so the votes begin on a Tuesday.
    clock.advance(((9 - new Date(clock.now()).getUTCDay()) % 7) * day);
    const castVote = async () => {
      await vote(page).click();
      await expectText(page.locator('#vote-result'), /recorded/);
    };
    await castVote();
    await expectText(page.locator('#members'), 'Voter');
    await page.locator('#members').getByRole('button', { name: /mira/ }).click();
    await expectText(page.locator('#profile-roles'), 'Voter');
    await page.locator('#profile-close').click();
    for (let votes = 1; votes < 5; votes += 1) {
      const before = clock.now();
      await troubleButton(page, /\+12 hours/).click();
      await expect.poll(() => clock.now() - before).toBeGreaterThan(12 * hour - minute);
      await castVote();
    }
    await expectText(messages, '3-day streak: +50');
    await expectText(messages, '5 votes: +30');
    await expectText(messages, /Together you have cast 5 votes/);
    // Edited at most every ten seconds.
    await messages.filter({ hasText: '5 of 5 votes' }).waitFor({ timeout: 25_000 });
  });

  it('can be used with the keyboard alone', async () => {
    const { sandbox, page, messages, line, type } = await visit();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await type('/');
    const picker = page.getByRole('listbox', { name: 'Suggestions' });
    expect(await picker.getByRole('option').count()).toBe(
      sandbox.discord.commands().filter(({ type }) => type === 1).length,
    );
    expect(await line.getAttribute('aria-activedescendant')).toBe('suggestion-0');
    await page.keyboard.press('ArrowDown');
    expect(await line.getAttribute('aria-activedescendant')).toBe('suggestion-1');
    await type('rev');
    await expectText(picker.locator('[aria-selected=true]'), '/reviews');
    await page.keyboard.press('Enter');
    await expectText(picker.getByRole('option'), 'sort:');
    await type('sort:');
    await expectText(picker.getByRole('option'), 'highest');
    await type('low');
    await page.keyboard.press('Tab');
    expect(await line.inputValue()).toBe('/reviews sort:lowest ');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await expectText(messages, '★☆☆☆☆');
    expect(await line.inputValue()).toBe('');
    await type('/reviews limit:99');
    await page.keyboard.press('Enter');
    await expectText(page.getByRole('alert'), 'Invalid value for limit: “99”');
  });

  it('changes pages of reviews and moves the focus from a disabled button to the other', async () => {
    const { page, messages, type } = await visit();
    await type('/reviews ');
    await page.keyboard.press('Enter');
    await expectText(messages, 'Newest 10 of 31 · page 1 of 2');
    const next = messages.getByRole('button', { name: 'Next' });
    await next.focus();
    await page.keyboard.press('Enter');
    await expectText(messages, 'page 2 of 2');
    expect(await next.isDisabled()).toBe(true);
    const focused = () => page.evaluate('document.activeElement.textContent');
    await expect.poll(focused).toBe('Previous');
    await page.keyboard.press('Enter');
    await expectText(messages, 'page 1 of 2');
    await expect.poll(focused).toBe('Next');
    // Both draw the message again, the second before the first could move the focus.
    await page.evaluate(`for (const value of ['light', 'dark']) {
      const theme = document.querySelector('#theme');
      theme.value = value;
      theme.dispatchEvent(new Event('change'));
    }`);
    await expect.poll(focused).toBe('Next');
  });

  it('shows an ephemeral response only to its member until it is dismissed', async () => {
    const { page, messages, type } = await visit({}, { sites: false });
    await type('/canvote ');
    await page.keyboard.press('Enter');
    await expectText(messages, 'Only you can see this');
    await expectText(messages, 'You can vote for Lantern Harbour now.');
    expect(await messages.getByRole('link', { name: 'Vote', exact: true }).getAttribute('rel')).toBe(
      'noopener noreferrer',
    );
    await page.getByLabel('Acting as').selectOption('tobias_k');
    expect(await messages.getByText('Only you can see this').count()).toBe(0);
    await page.getByLabel('Acting as').selectOption('mira');
    await tabTo(page, messages.getByRole('button', { name: 'Dismiss message' }));
    await page.keyboard.press('Enter');
    expect(await messages.getByText('Only you can see this').count()).toBe(0);
  });

  it('renders every part of a message without requests to other hosts', async () => {
    const { discord, bot, page, messages } = await visitForms();
    const channel = await bot.channels.fetch(discord.channels.announcements);
    if (!channel?.isSendable()) throw new Error('The bot cannot send messages to the channel.');
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwACggF/yWn3aQAAAABJRU5ErkJggg==';
    const externalUrl = 'https://elsewhere.example/picture.png';
    const sentMessage = await channel.send({
      content: [
        '# Heading',
        `Hello <@${discord.members[0]?.id}>, see <#${discord.channels.general}>: *slanted*, __under__, ~~gone~~, \`code\`,`,
        '||the secret|| <t:1735689600:D> <:custom:123456789012345678> <img src=x onerror=alert(1)>',
        '> quoted',
        '- listed',
      ].join('\n'),
      embeds: [
        {
          title: 'A constructor of *titles* \\<:custom:123456789012345678>',
          description: 'Words',
          thumbnail: { url: externalUrl },
          image: { url: 'attachment://pixel.png' },
          fields: [{ name: 'toString', value: 'of a field', inline: true }],
          footer: { text: 'Below', icon_url: externalUrl },
        },
      ],
      files: [
        { name: 'pixel.png', attachment: Buffer.from(pixel, 'base64') },
        { name: 'notes.txt', attachment: Buffer.from('notes') },
      ],
    });
    const message = messages.getByRole('article');
    await expectText(message, 'Hello');
    expect(await message.getByRole('heading', { name: 'Heading' }).count()).toBe(1);
    expect(await message.locator('discord-mention').allInnerTexts()).toEqual(['Mira', 'general']);
    expect(await message.locator('discord-italic').evaluate((italic) => italic.shadowRoot?.textContent)).toBe('');
    expect(await message.locator('discord-embed').getAttribute('embed-title')).toMatch(/^A constructor of titles/);
    expect(await message.locator('discord-custom-emoji').count()).toBe(0);
    expect(await message.locator('discord-file-attachment').getAttribute('name')).toBe('notes.txt');
    // A picture that the embed shows is no attachment of the message.
    expect(await message.locator('discord-image-attachment').count()).toBe(0);
    expect(await message.locator('discord-embed').getAttribute('image')).toMatch(/\/pixel\.png$/);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    await expectText(message.locator('discord-embed-footer'), 'Below');

    const spoiler = message.getByRole('button', { name: 'Spoiler, press to show' });
    await tabTo(page, message.locator('discord-spoiler'));
    await saveScreenshot(page, 'message');
    await page.keyboard.press('Enter');
    expect(await spoiler.count()).toBe(0);
    await sentMessage.edit('Changed');
    await expectText(message, /Changed.*\(edited\)/s);
  });

  it('supports autocomplete, modals and select menus of a bot', async () => {
    const { discord, page, messages, line, type } = await visitForms();
    const picker = page.getByRole('listbox', { name: 'Suggestions' });
    await type('/find harbour:an');
    await expectText(picker.getByRole('option'), 'Anchor Bay');
    expect(await picker.getByRole('option').count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await line.inputValue()).toBe('/find harbour:Lantern Harbour ');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await expectText(messages, 'found harbour/2/any');

    await type('/feedback ');
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Your feedback' });
    await form.waitFor();
    await page.keyboard.type('So calm here.');
    await form.getByLabel('How many stars').selectOption('★★★');
    await saveScreenshot(page, 'form');
    await form.getByRole('button', { name: 'Submit' }).click();
    await expectText(messages, 'mira gave 3 stars: So calm here.');
    await form.waitFor({ state: 'hidden' });

    await type('/feedback ');
    await page.keyboard.press('Enter');
    await form.waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });

    await type('/pick ');
    await page.keyboard.press('Enter');
    await messages.locator('summary', { hasText: 'Colours (2 to 3)' }).click();
    await messages.getByLabel('RED').check();
    const choose = messages.getByRole('button', { name: 'Choose' });
    expect(await choose.isDisabled()).toBe(true);
    await messages.getByLabel('BLUE').check();
    const [mira] = discord.members;
    discord.runCommand({ name: 'find', userId: mira?.id ?? '', channelId: discord.channels.announcements });
    await expectText(messages, 'found null');
    expect(await messages.getByLabel('BLUE').isChecked()).toBe(true);
    await saveScreenshot(page, 'selects');
    await choose.click();
    await expectText(messages, 'picked red and blue');
    await messages.getByLabel('Somebody').selectOption('@Tomás');
    await expectText(messages, 'picked tomas.k');
    await messages.getByLabel('A role').selectOption('@Voter');
    await expectText(messages, 'picked Voter');
    await messages.getByLabel('A channel').selectOption('#general');
    await expectText(messages, 'picked general');
  });

  it('keeps what is typed while a command is on its way', async () => {
    const { page, messages, line, type } = await visitForms();
    let deliver: () => void = () => {};
    const isDelivered = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    await page.route('**/page/commands', async (route) => {
      await isDelivered;
      await route.continue();
    });
    await type('/find ');
    await page.keyboard.press('Enter');
    await type('/pick ');
    deliver();
    await expectText(messages, 'found null');
    expect(await line.inputValue()).toBe('/pick ');
  });

  it('fits on a phone', async () => {
    const { page, messages, type } = await visit({ viewport: { width: 390, height: 780 } });
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
    await type('/stats ');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectText(messages, '4,218');
    expect(await width()).toBe(390);
    await page.getByRole('button', { name: 'Listing service', exact: true }).click();
    await vote(page).click();
    await expectText(page.locator('.balance'), '10 credits');
    expect(await width()).toBe(390);
    await troubleButton(page, /Repeat delivery/).click();
    await expectText(delivery(page, 'Server vote'), 'Duplicate');
    await troubleButton(page, /\+12 hours/).click();
    await expectText(page.locator('#sandbox-time'), '12 hours ahead');
    expect(await width()).toBe(390);
    await saveScreenshot(page, 'phone');
    await page.getByRole('button', { name: 'Discord', exact: true }).click();
    await expectText(messages, /mira.? voted/);
    await page.getByRole('button', { name: 'premium' }).click();
    await expectText(messages, 'Welcome to #premium');
  });
});
