import type { PageScript } from '../../../discord/web/page-script.ts';

/** Shows announcements as Discord does, beside forms as soon as something is entered. */
export const previewScript: PageScript = {
  source: new URL('../browser/previews.ts', import.meta.url),
  built: new URL('./previews.browser.js', import.meta.url),
};
