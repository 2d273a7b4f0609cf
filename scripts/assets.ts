import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fontFiles } from '@tallyhook/platform/pictures/fonts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The files of the languages, by the folder that a bundle has of each program. */
const translations = { bot: 'locales', service: 'packages/listing-service/locales' };

/** The stylesheets, icons and plain scripts of the web pages, and the scripts of Redis. `src/sandbox/page` copies its own. */
const assets = globSync('{src,packages/*/src}/**/*.{css,svg,browser.js,lua}', {
  cwd: root,
  exclude: ['src/sandbox/**'],
});

/** Copies the assets next to the bundle, which is one flat folder. @throws Error if two assets have the same name */
export function copyAssets(folder: string): void {
  for (const file of assets)
    cpSync(join(root, file), join(folder, basename(file)), { force: false, errorOnExist: true });
  copyFonts(join(folder, 'fonts'));
  copyTranslations(join(folder, 'locales'));
}

/** Without spaces, which are a tenth of them. */
function copyTranslations(folder: string): void {
  for (const [program, locales] of Object.entries(translations)) {
    mkdirSync(join(folder, program), { recursive: true });
    for (const file of globSync('*.json', { cwd: join(root, locales), exclude: ['en.json'] })) {
      const texts: unknown = JSON.parse(readFileSync(join(root, locales, file), 'utf8'));
      writeFileSync(join(folder, program, file), JSON.stringify(texts));
    }
  }
}

/** The fonts of pictures, with their licence, which must accompany them. */
function copyFonts(folder: string): void {
  const installed = dirname(fileURLToPath(import.meta.resolve('@fontsource/inter/package.json')));
  for (const file of fontFiles) cpSync(join(installed, 'files', file), join(folder, file));
  cpSync(join(installed, 'LICENSE'), join(folder, 'LICENSE'));
}
