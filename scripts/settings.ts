/** Writes the settings into docs/configuration.md, .env.example and docs/tallyhook.schema.json, as they are declared in `config/`, and the schema of events. */
import { readFileSync, writeFileSync } from 'node:fs';
import { renderEventsSchema, renderExample, renderSchema, withTables } from './settings/render.ts';

const page = new URL('../docs/configuration.md', import.meta.url);
writeFileSync(page, withTables(readFileSync(page, 'utf8')));
writeFileSync(new URL('../.env.example', import.meta.url), renderExample());
writeFileSync(new URL('../docs/tallyhook.schema.json', import.meta.url), renderSchema());
writeFileSync(new URL('../docs/events.schema.json', import.meta.url), renderEventsSchema());
