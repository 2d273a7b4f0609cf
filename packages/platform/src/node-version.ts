import { TallyhookError } from './errors.ts';

/** The oldest Node that has all that is used, as in src/launch.js. `engines` in package.json is what dependencies declare. */
const oldest = [22, 18] as const;

/**
 * To be called first by the functions of the package: an older Node would throw that something "is not a function".
 * @throws TallyhookError `node_too_old`
 */
export function requireNode(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  const message = `tallyhook needs Node ${oldest.join('.')} or newer, and this is ${version}.`;
  throw new TallyhookError('node_too_old', message, { hint: 'Install a current version from https://nodejs.org.' });
}
