import { readFileSync } from 'node:fs';

/** The commented example of all settings, which is part of the package; a heading if it cannot be found. */
export function envTemplate(): string {
  // Above the sources, the compiled modules and the bundle.
  for (const path of ['../../../.env.example', '../../../../.env.example', '../../.env.example']) {
    try {
      return withoutEmptyValues(readFileSync(new URL(path, import.meta.url), 'utf8'));
    } catch {
      // Try the next one.
    }
  }
  return '# Settings of tallyhook.\n';
}

/** Values to fill in become comments, so that they stay if they are left out. */
function withoutEmptyValues(text: string): string {
  return text
    .split('\n')
    .map((line) => (/^[A-Z_]+=$/.test(line) ? `#${line}` : line))
    .join('\n');
}
