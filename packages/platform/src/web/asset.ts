import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { RequestHandler } from 'express';
import { TallyhookError } from '../errors.ts';
import { once } from '../memoize.ts';

/** The stylesheet before those of programs: what all pages have in common. A bundle of CommonJS has no URL. */
export const baseStyles = (): URL => new URL('./base.css', import.meta.url);

/** The stylesheets before those of the bot's pages: what all pages have in common, and the look of the bot. */
export const lookStyles = (): readonly URL[] => [baseStyles(), new URL('./look.css', import.meta.url)];

/** The icon of the bot's pages. */
export const botIcon = (): URL => new URL('./bot-icon.svg', import.meta.url);

/**
 * Serves one file, such as a stylesheet, from memory. The build copies `.css`, `.svg` and `.browser.js` files next
 * to the bundle.
 * @param options.before files whose text is served before
 * @param options.edit changes the text before it is served
 * @param file beside the module that names it: `new URL('./console.css', import.meta.url)`
 * @throws TallyhookError `file_missing`
 */
export function serveAsset(
  file: URL,
  options: {
    readonly cacheControl: string;
    readonly before?: URL | readonly URL[];
    readonly edit?: (text: string) => string;
  },
): RequestHandler {
  const { cacheControl, before = [], edit = (text) => text } = options;
  const content = edit([before, file].flat().map(readText).join(''));
  return (_request, response) => {
    response.type(extname(file.pathname)).set('Cache-Control', cacheControl).send(content);
  };
}

/** A handler that is created by its first request: what is bundled as CommonJS has no URL of its assets, and may never need them. */
export function createdLater(create: () => RequestHandler): RequestHandler {
  const handler = once(create);
  return (request, response, next) => handler()(request, response, next);
}

function readText(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `The file ${basename(file.pathname)} is not beside the code of tallyhook.`;
    throw new TallyhookError('file_missing', message, { hint: 'Mark tallyhook as external in your bundler.', cause });
  }
}
