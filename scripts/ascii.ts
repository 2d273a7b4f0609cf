import type { Plugin } from 'rolldown';

/**
 * Escapes non-ASCII characters. Node keeps the source text in memory, and one character beyond Latin-1 makes it use
 * two bytes per character for the whole file.
 */
export function ascii(): Plugin {
  return {
    name: 'ascii',
    generateBundle(_options, bundled) {
      for (const file of Object.values(bundled)) {
        if (file.type === 'chunk') file.code = file.code.replace(/[\u0080-\uffff]/g, escaped);
      }
    },
  };
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
