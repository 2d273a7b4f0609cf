import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The name of the font in pictures. */
export const fontFamily = 'Inter';

/** The parts of the font that are used, each in one file per weight. */
const subsets = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'vietnamese'];
const weights = [400, 600];

/**
 * Characters that the font has: those of the Latin, Cyrillic and Greek languages, and some signs. A picture would show a
 * box for any other, whatever fonts the machine has.
 */
const drawable =
  /^[ -~\u00A0-\u0148\u014A-\u017F\u01A0\u01A1\u01AF\u01B0\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03CE\u0400-\u045F\u0490\u0491\u1EA0-\u1EF9–—‘’“”…−↑]*$/u;

/** True if the font has all characters of the text. */
export function isDrawable(text: string): boolean {
  return drawable.test(text);
}

/** The files of the package `@fontsource/inter` that pictures need. The build copies them. */
export const fontFiles = subsets.flatMap((subset) => weights.map((weight) => `inter-${subset}-${weight}-normal.woff2`));

/** The fonts, 180 KB in all. @throws Error if a file is missing */
export async function readFonts(): Promise<readonly { readonly name: string; readonly data: Uint8Array }[]> {
  return Promise.all(fontFiles.map(async (file) => ({ name: fontFamily, data: await readFile(locate(file)) })));
}

/** In the build the files are beside this module; in the sources they are in the package, a development dependency. */
function locate(file: string): string {
  const copied = fileURLToPath(new URL(`fonts/${file}`, import.meta.url));
  return existsSync(copied) ? copied : fileURLToPath(import.meta.resolve(`@fontsource/inter/files/${file}`));
}
