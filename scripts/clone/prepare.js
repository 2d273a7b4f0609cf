// Part of `npm ci` and `npm install` in a clone: bundles the program for `npm start`, which needs no bundle if this fails.
import { renameSync, rmSync } from 'node:fs';
import { bundleFolder, findChange } from './bundle-state.js';

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
