import { readFileSync } from 'node:fs';

/** The version in the package.json, which is two levels above the sources and above the bundle. */
export function readVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  } catch {
    // It is not needed to run.
  }
  return 'unknown';
}
