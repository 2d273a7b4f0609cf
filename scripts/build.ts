/** Fills dist/ with what has to be made beside the compiled sources. A part of `npm run build`. */
import { fileURLToPath } from 'node:url';
import { buildPage } from '../src/sandbox/page/script.ts';
import { bundle } from './bundle.ts';
import { bundleAdapters } from './bundle-adapters.ts';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
await bundle(`${dist}program`);
await bundleAdapters(`${dist}src/lookup`);
await buildPage(`${dist}src/sandbox/page`);
