/** Creates the parts of dist/ that tsc does not. Part of `npm run build`. */
import { fileURLToPath } from 'node:url';
import { bundle, bundlePackage } from './bundle.ts';
import { pruneDeclarations } from './declarations.ts';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
await bundle(`${dist}program`);
await bundlePackage(`${dist}package`);
pruneDeclarations(`${dist}types`);
