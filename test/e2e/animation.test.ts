import { expect, it } from 'vitest';
import { animate } from '../../scripts/answers/apng.ts';
import { sharedBrowser } from './shared-browser.ts';

it('an animated PNG shows in Chromium what was taken, and a later frame is only what has changed', async () => {
  const page = await (await sharedBrowser()).newPage({ viewport: { width: 120, height: 80 } });
  const take = async (body: string) => {
    await page.setContent(`<body style="margin:0;background:#fff">${body}</body>`);
    return page.screenshot();
  };
  const box = (color: string) =>
    `<div style="position:fixed;left:30px;top:20px;width:7px;height:5px;background:${color}">`;
  const [empty, red] = [await take(''), await take(box('#f00'))];
  const png = animate([
    { png: empty, durationMs: 20 },
    { png: red, durationMs: 60_000 },
  ]);
  // Width, height, x and y of the second frame.
  const control = png.lastIndexOf('fcTL') + 8;
  expect([0, 4, 8, 12].map((at) => png.readUInt32BE(control + at))).toEqual([7, 5, 30, 20]);
  await take(`<img src="data:image/png;base64,${png.toString('base64')}">`);
  // The first frame passes in a moment.
  await expect.poll(async () => (await page.screenshot()).equals(red)).toBe(true);
  await page.close();
});
