/**
 * `node scripts/manifest.ts strip` before npm packs, and `restore` after it: what package.json has for a clone alone would make
 * npm warn of install scripts, and yarn of workspaces.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../package.json', import.meta.url));
/** Beside the build, so that a copy that an interrupted `npm pack` leaves is in no commit. */
const original = fileURLToPath(new URL('../dist/package.json', import.meta.url));

const ofClone = ['workspaces', 'scripts', 'devDependencies', 'allowScripts', 'overrides'];

/** Leaves what users of the package need. */
export function stripManifest(): void {
  const text = readFileSync(path, 'utf8');
  const published = Object.entries(JSON.parse(text)).filter(([name]) => !ofClone.includes(name));
  mkdirSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true });
  writeFileSync(original, text);
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(published), null, 2)}\n`);
}

/** Does nothing if it was not stripped. */
export function restoreManifest(): void {
  if (existsSync(original)) renameSync(original, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'strip') stripManifest();
  else restoreManifest();
}
