/** Writes the document of the owner API (OpenAPI): node scripts/api-document.ts FILE. */
import { writeFileSync } from 'node:fs';
import { createOpenApi } from '../src/owner/openapi.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file.');
writeFileSync(file, `${JSON.stringify(createOpenApi(), null, 2)}\n`);
