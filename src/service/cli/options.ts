import { isSnowflake } from '../../platform/snowflake.ts';
import type { ParsedArgs } from '../../platform/terminal/command.ts';
import { UsageError } from '../../platform/terminal/terminal.ts';

/** Options of `tallyhook service`, for `parseArgs`. */
export const serviceOptions = {
  database: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '4000' },
  redis: { type: 'string' },
  'public-url': { type: 'string' },
  'operations-port': { type: 'string' },
  'operations-host': { type: 'string', default: '127.0.0.1' },
  'drain-seconds': { type: 'string', default: '0' },
  'discord-client-id': { type: 'string' },
  'discord-client-secret-file': { type: 'string' },
  'discord-api-url': { type: 'string' },
  seed: { type: 'boolean', default: false },
  production: { type: 'boolean', default: false },
  operator: { type: 'string', multiple: true },
  'trust-proxy': { type: 'string', default: '0' },
  challenge: { type: 'string', default: 'none' },
  'log-level': { type: 'string', default: 'info' },
  'log-format': { type: 'string', default: 'auto' },
  json: { type: 'boolean', default: false },
  kind: { type: 'string' },
  id: { type: 'string' },
  name: { type: 'string' },
  description: { type: 'string' },
  owner: { type: 'string' },
  user: { type: 'string' },
  listings: { type: 'string', default: '100' },
  members: { type: 'string', default: '1000' },
  votes: { type: 'string', default: '10000' },
  reviews: { type: 'string', default: '1000' },
} as const;

export type ServiceValues = ParsedArgs<typeof serviceOptions>['values'];

/** @throws UsageError */
export function readSnowflake(value: string | undefined, option: string): string {
  if (isSnowflake(value)) return value;
  throw new UsageError(`${option} must be a Discord id, 1 to 20 digits.`);
}

/** @throws UsageError */
export function readText(value: string | undefined, option: string): string {
  if (value !== undefined && value.trim() !== '') return value.trim();
  throw new UsageError(`${option} is missing.`);
}
