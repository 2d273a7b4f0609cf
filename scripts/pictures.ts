/**
 * Takes the pictures of README.md in the dark and in the light theme, in a sandbox in which six members have voted for
 * a month: the channel of votes, the winners of a week, and the owner console.
 *
 *   node scripts/pictures.ts [--directory docs/pictures]
 *
 * Exits with 1 if a picture is too large.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { createPrng } from '@tallyhook/platform/prng';
import type { Message } from 'local-discord';
import type { Browser, Page } from 'playwright-core';
import { controlsOf } from '../packages/local-discord/src/objects.ts';
import { consolePath } from '../src/sandbox/page/sandbox-page.ts';
import { type Theme, themes } from './answers/camera.ts';
import { cooldownMs, type MemberName, type Stage, startStage } from './answers/stage.ts';
import { launchBrowser } from './browser.ts';

/** Bytes of a picture. */
const maxSize = 60 * 1024;

/** How likely each member votes in half a day. */
const habits: readonly (readonly [MemberName, number])[] = [
  ['Ayşe', 0.95],
  ['juniper', 0.7],
  ['mira', 0.6],
  ['tobias_k', 0.45],
  ['Noor ✦', 0.4],
  ['old_salt', 0.2],
];

/** Until the Monday after which the week of December 14 is settled. */
const halfDays = 66;

const { values } = parseArgs({ options: { directory: { type: 'string', default: join('docs', 'pictures') } } });
await mkdir(values.directory, { recursive: true });

const stage = await startStage('en-US', {
  listingSettings: {
    timeZone: 'Europe/Berlin',
    rewards: {
      vote: 10,
      multipliers: [{ factor: 2, days: ['saturday', 'sunday'] }],
      streak: { every: 7, credits: 50, forgive: 1 },
      voterRole: { role: '1190000000000000022', for: '12h' },
      prizes: [
        {
          ...{ per: 'week', by: 'votes' },
          places: [
            { from: 1, credits: 200 },
            { from: 2, to: 3, credits: 100 },
          ],
        },
      ],
    },
  },
});
const browser = await launchBrowser();
try {
  await voteForAMonth(stage);
  await allAnnounced(stage);
  const winners = await stage.waitFor('the winners', () => findWinners(stage));
  const panel = await postPanel(stage);
  const vote = await stage.announcedVote('Ayşe');
  await allAnnounced(stage);
  const page = await openPage(browser);
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 1290, height: 1400 });
    await page.goto(stage.sandbox.urls.page);
    await page.getByText('Bot online').waitFor();
    await save('votes', theme, page, await takeMessages(page, [panel, vote], 634));
    await save('winners', theme, page, await takeMessages(page, [winners], 470));
    await page.setViewportSize({ width: 1040, height: 660 });
    await page.goto(new URL(consolePath, stage.sandbox.urls.page).href);
    await page.waitForURL('**/owner/');
    const ofServer = new URL(`servers/${stage.sandbox.discord.guildId}/`, page.url());
    await page.goto(ofServer.href, { waitUntil: 'networkidle' });
    await save('console', theme, page, await page.screenshot());
  }
} finally {
  await browser.close();
  await stage.sandbox.stop();
}

/** Members vote by their habits. */
async function voteForAMonth({ pass, recordedVote }: Stage): Promise<void> {
  // The same in every run.
  const random = createPrng(7);
  for (let half = 0; half < halfDays; half += 1) {
    let passed = 0;
    for (const [member, chance] of habits) {
      const pause = Math.floor(random() * 90 * minute);
      pass(pause);
      passed += pause;
      // A member who has voted late in the half day before has to wait.
      if (random() < chance) await recordedVote(member).catch(() => undefined);
    }
    pass(cooldownMs - passed);
  }
  // To an afternoon after the last week was settled.
  pass(22 * hour);
}

/** The message with the winners of the last week that is over. */
function findWinners({ sandbox: { discord }, channels }: Stage): Message | undefined {
  return discord.messages(channels.announcements).findLast((each) => {
    const text = JSON.stringify(each);
    return text.includes('Prizes: ') && text.includes('December 14');
  });
}

/** Waits until the channel of announcements has been quiet for some seconds. */
async function allAnnounced({ sandbox: { discord }, channels }: Stage): Promise<void> {
  const count = () => JSON.stringify(discord.messages(channels.announcements)).length;
  for (let before = -1; before !== count(); await wait(8 * second)) before = count();
}

/** Posts the vote panel by `/setup`. */
async function postPanel({ sandbox: { discord }, run, press, id, channels, newMessage }: Stage): Promise<Message> {
  const choice = await press(await press(await run('setup'), 'setup/section', 's=channels'), 'setup/post-panel');
  const control = controlsOf(choice.message.components).find(({ custom_id }) => custom_id?.includes('panel-channel'));
  const used = { messageId: choice.message.id, customId: control?.custom_id ?? '', userId: id('mira') };
  const post = () => discord.select({ ...used, values: [channels.announcements] }).settled;
  return newMessage(channels.announcements, post);
}

async function openPage(from: Browser): Promise<Page> {
  const page = await from.newPage({
    deviceScaleFactor: 2,
    timezoneId: 'Europe/Berlin',
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(150_000);
  return page;
}

/** PNG of successive messages, the first one with its author. @param width of the picture, in CSS pixels */
async function takeMessages(page: Page, messages: readonly Message[], width: number): Promise<Buffer> {
  const elements = messages.map(({ id }) => page.locator(`[data-message-id="${id}"]`));
  for (const element of elements) await element.waitFor();
  await elements[0]?.evaluate((node) => node.removeAttribute('message-body-only'));
  await elements[0]?.scrollIntoViewIfNeeded();
  await page.waitForTimeout(2 * second);
  const boxes = await Promise.all(elements.map((element) => element.boundingBox()));
  const [first, last] = [boxes.at(0), boxes.at(-1)];
  if (!first || !last) throw new Error('A message is not on the page.');
  const clip = { x: first.x, y: first.y, width, height: last.y + last.height - first.y };
  return page.screenshot({ clip, animations: 'disabled' });
}

/** Writes a picture as WebP, which keeps the colors of emoji in a third of the size of a PNG. */
async function save(name: string, theme: Theme, page: Page, png: Buffer): Promise<void> {
  const encoded = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    const webp = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
    return btoa(Array.from(new Uint8Array(await webp.arrayBuffer()), (each) => String.fromCharCode(each)).join(''));
  }, png.toString('base64'));
  const webp = Buffer.from(encoded, 'base64');
  await writeFile(join(values.directory, `${name}-${theme}.webp`), webp);
  console.log(`${name}, ${theme}: ${Math.ceil(webp.length / 1024)} KB`);
  if (webp.length > maxSize) process.exitCode = 1;
}
