/** Creates the parts of dist/ that tsc does not. Part of `npm run build`. */
import { chmodSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createOpenApi } from '../src/owner/openapi.ts';
import { bundle, bundlePackage } from './bundle.ts';
import { pruneDeclarations } from './declarations.ts';
import { readEntries } from './entries.ts';
import { renderEventsSchema } from './settings/render.ts';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
await bundle(`${dist}program`);
// The image has it on its PATH.
chmodSync(`${dist}program/launch.js`, 0o755);
await bundlePackage(`${dist}package`);
writeFileSync(`${dist}package/openapi.json`, `${JSON.stringify(createOpenApi())}\n`);
// Programs in any language check events with it.
writeFileSync(`${dist}package/events.schema.json`, renderEventsSchema());
pruneDeclarations(
  `${dist}types`,
  readEntries().map(({ declarations }) => declarations),
  { 'local-discord': 'tallyhook/sandbox', 'listing-service': 'tallyhook/sandbox' },
);
