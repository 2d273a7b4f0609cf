import type { Plugin } from 'rolldown';

/** The texts of the listing service. It runs in a process of its own, and in UTF-8 they take three quarters of the space. */
const inUtf8 = /[\\/]src[\\/]service[\\/]texts[\\/]locales[\\/]/;

/**
 * Escapes non-ASCII characters. Node keeps the source text in memory, and one character beyond Latin-1 makes it use
 * two bytes per character for the whole file.
 */
export function ascii(): Plugin {
  return {
    name: 'ascii',
    generateBundle(_options, bundled) {
      for (const file of Object.values(bundled)) {
        if (file.type !== 'chunk' || file.moduleIds.some((id) => inUtf8.test(id))) continue;
        file.code = file.code.replace(/[\u0080-\uffff]/g, escaped);
      }
    },
  };
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
