/** Writes the settings into docs/configuration.md and .env.example, as they are declared in `config/settings`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { renderExample, withTables } from './settings/render.ts';

const page = new URL('../docs/configuration.md', import.meta.url);
writeFileSync(page, withTables(readFileSync(page, 'utf8')));
writeFileSync(new URL('../.env.example', import.meta.url), renderExample());
