/**
 * Takes an image of each state of each command and announcement in a sandbox, in the dark and in the light theme, and
 * writes the images and a page that shows them.
 *
 *   node scripts/answers.ts [--language de] [--directory docs/answers] [--only canvote,shop-item]
 *
 * The page is named after the directory: docs/answers.md. With --only no page is written. Exits with 1 if a state could
 * not be reached or an image is too large; the other images are written nevertheless. Needs fonts for the language.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@tallyhook/platform/errors';
import { locales } from '@tallyhook/platform/texts/locale';
import { announcementScene } from './answers/announcement-states.ts';
import { type Camera, openCamera, themes } from './answers/camera.ts';
import { emptyScene, memberScene } from './answers/command-states.ts';
import { budgetScene, outageScene } from './answers/failure-states.ts';
import { altText, imageName, renderGallery, type TakenState } from './answers/gallery.ts';
import { digestScene, ownAnnouncementScene } from './answers/own-announcement-states.ts';
import { withPalette } from './answers/png.ts';
import { setupScene } from './answers/setup-states.ts';
import { shopScene } from './answers/shop-states.ts';
import { type Stage, startStage } from './answers/stage.ts';
import type { AnswerState, Scene } from './answers/state.ts';
import { launchBrowser } from './browser.ts';

/** All scenes, in the order of the page. */
const scenes: readonly Scene[] = [
  memberScene,
  emptyScene,
  shopScene,
  announcementScene,
  ownAnnouncementScene,
  digestScene,
  outageScene,
  budgetScene,
  setupScene,
];

/** Bytes of an image. */
const maxSize = 60 * 1024;

const { values } = parseArgs({
  options: {
    language: { type: 'string', default: 'en-US' },
    directory: { type: 'string', default: join('docs', 'answers') },
    only: { type: 'string' },
  },
});
const { language, directory } = values;
const only = values.only?.split(',');
const problems: string[] = [];

if (!locales.some((locale) => locale === language)) fail(`Unknown language ${language}: ${locales.join(', ')}`);
const known = scenes.flatMap(({ states }) => states.map(({ name }) => name));
for (const name of only ?? []) if (!known.includes(name)) fail(`Unknown state ${name}: ${known.join(', ')}`);

await mkdir(directory, { recursive: true });
const browser = await launchBrowser();
const taken: { title: string; states: TakenState[] }[] = [];
try {
  for (const { title, options, states } of scenes) {
    if (only !== undefined && !states.some(({ name }) => only.includes(name))) continue;
    try {
      const last = states.findLastIndex(({ name }) => only?.includes(name) ?? true);
      taken.push({ title, states: await takeScene(states.slice(0, last + 1), await startStage(language, options)) });
    } catch (error) {
      // For example, a setting that this version does not have.
      problems.push(`${title}: ${messageOf(error)}`);
    }
  }
} finally {
  await browser.close();
}
if (only === undefined) await writeFile(`${directory}.md`, renderGallery(taken, basename(directory)));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Reaches the states one after the other, takes their images, and stops the sandbox. */
async function takeScene(states: readonly AnswerState[], stage: Stage): Promise<TakenState[]> {
  try {
    const camera = await openCamera(browser, stage);
    const results: TakenState[] = [];
    for (const state of states) {
      const result = await takeState(state, stage, camera);
      if (result !== undefined) results.push(result);
    }
    await camera.close();
    return results;
  } finally {
    await stage.sandbox.stop();
  }
}

/** Reaches a state, and takes its images unless others are selected. Undefined without images. */
async function takeState(state: AnswerState, stage: Stage, camera: Camera): Promise<TakenState | undefined> {
  const { name, title } = state;
  stage.nextState();
  try {
    const shown = await state.show(stage);
    if (only?.includes(name) === false) return undefined;
    const { members, roles } = stage.sandbox.discord;
    const names = [
      ...members.map(({ id, username }) => [id, username] as const),
      ...Object.entries(roles).map(([role, id]) => [id, role] as const),
    ];
    const alt = altText(shown.message, new Map(names));
    if (language.startsWith('en') && !alt.includes(state.text)) throw new Error(`“${state.text}” is not in “${alt}”.`);
    let width = 0;
    for (const theme of themes) {
      let png = withPalette(await camera.take(shown, theme, 2));
      width = png.readUInt32BE(16) / 2;
      if (png.length > maxSize) png = withPalette(await camera.take(shown, theme, 1));
      await writeFile(join(directory, imageName(name, theme)), png);
      if (png.length > maxSize) problems.push(`${name}: the ${theme} image has ${Math.ceil(png.length / 1024)} KB.`);
    }
    console.log(`${name}: ${title}`);
    return { name, title, alt, width };
  } catch (error) {
    problems.push(`${name}: ${messageOf(error)}`);
    return undefined;
  }
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
