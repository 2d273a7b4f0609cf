import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { fontFiles } from '@tallyhook/platform/pictures/fonts';
import { altchaFiles } from 'listing-service/proof-of-work';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What a bundle needs beside its code. */
export interface Assets {
  /** The folders of its stylesheets, icons, plain scripts of web pages, and scripts of Redis. */
  readonly sources: readonly string[];
  /** The folders of the files of its languages, by the folder that the bundle has of each program. */
  readonly translations: Readonly<Record<string, string>>;
  /** Whether it draws pictures. */
  readonly fonts: boolean;
  /** Whether it contains the listing service, whose pages have the widget of ALTCHA. */
  readonly altcha: boolean;
}

export const programAssets: Assets = {
  sources: ['src', 'packages/*/src'],
  translations: { bot: 'locales', service: 'packages/listing-service/locales' },
  fonts: true,
  altcha: true,
};

/**
 * Copies the assets next to the bundle, which is one flat folder. What is in `public` belongs to a page that copies it.
 * @throws Error if two assets have the same name
 */
export function copyAssets(folder: string, { sources, translations, fonts, altcha }: Assets): void {
  const patterns = sources.map((source) => `${source}/**/*.{css,svg,browser.js}`);
  for (const file of globSync(patterns, { cwd: root, exclude: ['**/public/**'] }))
    cpSync(join(root, file), join(folder, basename(file)), { force: false, errorOnExist: true });
  if (fonts) copyFonts(join(folder, 'fonts'));
  if (altcha) copyAltcha(join(folder, 'altcha'));
  for (const [program, locales] of Object.entries(translations))
    copyTranslations(locales, join(folder, 'locales', program));
}

/** Writes the files of the languages, compressed: they would be a quarter of the package. */
function copyTranslations(locales: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const file of globSync('*.json', { cwd: join(root, locales), exclude: ['en.json'] })) {
    const texts: unknown = JSON.parse(readFileSync(join(root, locales, file), 'utf8'));
    writeFileSync(join(folder, `${file}.gz`), gzipSync(JSON.stringify(texts), { level: 9 }));
  }
}

/** The fonts of pictures, with their licence, which must accompany them. */
function copyFonts(folder: string): void {
  const installed = dirname(fileURLToPath(import.meta.resolve('@fontsource/inter/package.json')));
  for (const file of fontFiles) cpSync(join(installed, 'files', file), join(folder, file));
  cpSync(join(installed, 'LICENSE'), join(folder, 'LICENSE'));
}

/** The files of its pages, with their licence, which must accompany them. */
function copyAltcha(folder: string): void {
  const installed = fileURLToPath(new URL('../../', import.meta.resolve('altcha')));
  for (const [path, name] of Object.entries(altchaFiles)) cpSync(join(installed, 'dist', path), join(folder, name));
  cpSync(join(installed, 'LICENSE.txt'), join(folder, 'LICENSE'));
}
