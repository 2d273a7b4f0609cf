import type { Renderer } from '@takumi-rs/core';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { readFonts } from './fonts.ts';
import type { Picture } from './picture.ts';

/**
 * Pictures that are drawn at the same time, in other threads. Those are four by default, and also read files and check
 * signatures.
 */
const maxConcurrent = 2;

/** 1: one pixel per CSS pixel; 2: two by two. */
export type Scale = 1 | 2;

/**
 * Draws a picture as PNG: 10 ms in another thread, and four times as long at scale 2. Null if that is not possible: the
 * native package is optional. Never rejects.
 * @param compose called when it is the picture's turn, so that many requests at once do not block the event loop
 */
export type Draw = (compose: () => Picture, scale: Scale) => Promise<Uint8Array | null>;

/**
 * Loads the renderer and the fonts for the first picture: 50 ms and 25 MB that most processes never need.
 * @param options.without for the log: what happens if no picture can be drawn
 */
export function createDraw(options: { readonly log: Log; readonly without?: string }): Draw {
  const { log, without = 'replies are sent without them' } = options;
  let loading: Promise<Renderer | null> | undefined;
  let active = 0;
  const waiting: (() => void)[] = [];

  async function load(): Promise<Renderer | null> {
    try {
      return await loadRenderer();
    } catch (error) {
      const hint = 'Install the package @takumi-rs/core with the native package for this platform.';
      log.warn({ reason: messageOf(error), hint }, `pictures cannot be drawn; ${without}`);
      return null;
    }
  }

  async function acquire(): Promise<void> {
    if (active < maxConcurrent) active += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function release(): void {
    const next = waiting.shift();
    if (next === undefined) active -= 1;
    else next();
  }

  return async (compose, scale) => {
    loading ??= load();
    const renderer = await loading;
    if (renderer === null) return null;
    await acquire();
    try {
      const { width, height, root } = compose();
      const size = { width: width * scale, height: height * scale, devicePixelRatio: scale };
      return await renderer.render(root, { ...size, format: 'png' });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a picture could not be drawn');
      return null;
    } finally {
      release();
    }
  };
}

async function loadRenderer(): Promise<Renderer> {
  const [{ Renderer }, fonts] = await Promise.all([importNative(), readFonts()]);
  const renderer = new Renderer();
  for (const font of fonts) await renderer.registerFont(font);
  return renderer;
}

/** By a name that a bundler cannot know: it could not bundle native code. */
function importNative(): Promise<typeof import('@takumi-rs/core')> {
  const name = ['@takumi-rs', 'core'].join('/');
  return import(name);
}
