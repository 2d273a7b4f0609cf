import { readFileSync } from 'node:fs';

interface Package {
  readonly scripts: { readonly start: string };
}

/** The options of Node with which `npm start` runs the program of a checkout. @param root its folder, with a slash */
export function readNodeOptions(root: URL): readonly string[] {
  const { scripts }: Package = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}
