// Part of `npm ci` and `npm install` in a clone: bundles the program for `npm start`, which needs no bundle if this fails.
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { bundleFolder, findChange } from './bundle-state.js';

removeHeaders('node_modules/node/node_modules');

/** Under another name until it is complete, so that an interrupted installation leaves no half of a program. */
var unfinished = `${bundleFolder}.unfinished`;

if (findChange() !== null) {
  import('../bundle.ts')
    .then(({ bundle }) => bundle(unfinished))
    .then(() => {
      rmSync(bundleFolder, { recursive: true, force: true });
      renameSync(unfinished, bundleFolder);
    })
    .catch((error) => {
      rmSync(unfinished, { recursive: true, force: true });
      console.warn(`npm start will run the sources, since they could not be bundled: ${error.message}`);
    });
}

/** Frees 67 MB: Node's package contains headers for building native modules, of which a clone has none. */
function removeHeaders(folder) {
  try {
    for (const name of readdirSync(folder)) rmSync(`${folder}/${name}/include`, { recursive: true, force: true });
  } catch {
    // This version of Node's package keeps them elsewhere: nothing is lost but the space.
  }
}
