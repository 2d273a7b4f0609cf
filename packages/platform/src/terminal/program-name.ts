/**
 * How this machine runs tallyhook: `npm run tallyhook` in a clone.
 *
 * @param script the script of package.json that npm runs, or `npx`; undefined if the program was started without npm
 */
export function programName(script: string | undefined): string {
  if (script === 'tallyhook' || script === 'start') return 'npm run tallyhook';
  return script === 'npx' ? 'npx tallyhook' : 'tallyhook';
}
