import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { RequestHandler } from 'express';

/**
 * Serves one file, such as a stylesheet, from memory. The build copies `.css`, `.svg` and `.browser.js` files next
 * to the compiled sources, and next to the bundle.
 * @param file beside the module that names it: `new URL('./console.css', import.meta.url)`
 */
export function serveAsset(file: URL, { cacheControl }: { readonly cacheControl: string }): RequestHandler {
  const content = readFileSync(file, 'utf8');
  return (_request, response) => {
    response.type(extname(file.pathname)).set('Cache-Control', cacheControl).send(content);
  };
}
