/**
 * Takes the README's animation: a member of a sandbox votes, sees the announcement, and types two commands in a headless
 * Chromium. Writes an animated PNG.
 *
 *   node scripts/animation.ts [file]
 *
 * The file is docs/vote.png unless given. Exits with 1 if it is too large. CHROMIUM_PATH names the browser.
 */
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { day } from '../src/platform/durations.ts';
import { animate, type Frame } from './answers/apng.ts';
import { startStage } from './answers/stage.ts';
import { launchBrowser } from './browser.ts';

/** Bytes. */
const largest = 1.5 * 1024 * 1024;
const file = process.argv[2] ?? join('docs', 'vote.png');
/** 800 px wide, of a page that shows chat and service beside each other. */
const view = { viewport: { width: 1000, height: 620 }, deviceScaleFactor: 0.8 };

const pointerImage = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="22" height="30" viewBox="0 0 22 30"><path d="M1 1v23l6-5 4 9 4-2-4-9h8z" fill="#000" stroke="#fff" stroke-width="2"/></svg>')}`;

async function film(page: Page): Promise<Frame[]> {
  const frames: Frame[] = [];
  const shoot = async (durationMs: number) => {
    frames.push({ png: await page.screenshot({ animations: 'disabled', caret: 'initial' }), durationMs });
  };
  const pointer = await page.evaluateHandle((source) => {
    const image = new Image();
    image.src = source;
    Object.assign(image.style, {
      position: 'fixed',
      zIndex: '100',
      left: '480px',
      top: '300px',
      pointerEvents: 'none',
    });
    return document.body.appendChild(image);
  }, pointerImage);
  const moveTo = async (target: Locator) => {
    const box = await target.boundingBox();
    if (box === null) throw new Error('The pointer has no target.');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    for (const part of [0.5, 1]) {
      await pointer.evaluate(
        (image, [left = 0, top = 0, share = 0]) => {
          const { x: fromX, y: fromY } = image.getBoundingClientRect();
          image.style.left = `${fromX + (left - fromX) * share}px`;
          image.style.top = `${fromY + (top - fromY) * share}px`;
        },
        [x, y, part],
      );
      await shoot(200);
    }
  };
  const messages = page.getByRole('log', { name: 'Messages' });
  const line = page.getByRole('combobox', { name: 'Slash command' });
  const type = async (command: string, answer: string) => {
    await moveTo(line);
    await line.click();
    for (const letters of command.match(/.{1,3}/g) ?? []) {
      await line.pressSequentially(letters);
      await shoot(180);
    }
    await line.pressSequentially(' ');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await messages.filter({ hasText: answer }).waitFor();
    await page.waitForTimeout(400);
    await shoot(2800);
  };

  await shoot(1200);
  const vote = page.getByRole('button', { name: /Vote for the server/ });
  await moveTo(vote);
  await vote.click();
  await shoot(400);
  await page.locator('.delivery').first().filter({ hasText: 'Announced' }).waitFor();
  await page.waitForTimeout(1500);
  await shoot(3000);
  await type('/canvote', 'You can vote');
  await type('/leaderboard', '#1');
  return frames;
}

const stage = await startStage('en-US', { seed: 1 });
const browser = await launchBrowser();
try {
  stage.pass(day);
  await stage.announcedVote('juniper');
  await stage.announcedVote('Ayşe', 'bot');
  const context = await browser.newContext({ ...view, colorScheme: 'light', locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(stage.sandbox.urls.page);
  await page.getByText('Bot online').waitFor();
  await page.waitForTimeout(800);
  await writeFile(file, animate(await film(page)));
} finally {
  await browser.close();
  await stage.sandbox.stop();
}
const { size } = await stat(file);
console.log(`${file}: ${Math.round(size / 1024)} KB`);
if (size > largest) {
  console.error(`The animation is larger than ${largest / 1024} KB.`);
  process.exitCode = 1;
}
