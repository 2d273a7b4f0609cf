/** Creates the parts of dist/ that tsc does not: bundles and assets. Part of `npm run build`. */
import { fileURLToPath } from 'node:url';
import { buildPage } from '../src/sandbox/page/assets.ts';
import { copyAssets } from './assets.ts';
import { bundle } from './bundle.ts';
import { bundleAdapters } from './bundle-adapters.ts';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
await bundle(`${dist}program`);
await bundleAdapters(`${dist}src/lookup`);
copyAssets(`${dist}src`);
await buildPage(`${dist}src/sandbox/page`);
