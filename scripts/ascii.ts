import type { Plugin } from 'rolldown';

/**
 * Writes what is not ASCII as escapes. Node keeps the text of what it runs in memory, and one character beyond Latin-1 makes it keep the
 * whole file at two bytes a character.
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
