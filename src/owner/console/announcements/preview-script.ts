import type { PageScript } from 'local-discord/messages';

/** Shows announcements as Discord does, beside forms as soon as something is entered. */
export const previewScript: PageScript = {
  source: () => new URL('../browser/previews.ts', import.meta.url),
  built: () => new URL('./public/previews.js', import.meta.url),
};
