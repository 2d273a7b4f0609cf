import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { sign } from '../../src/webhook/signature.ts';
import { voteSecret } from './listings.ts';
import { newSqliteUrl } from './new-sqlite.ts';

type Dependencies = Partial<Parameters<typeof createApp>[1]>;

/**
 * Starts the program of these settings in this process, until the end of the test. Unless they say otherwise, it has a
 * database of its own, its cache in memory and any free port.
 */
export async function startApp(
  environment: Readonly<Record<string, string>>,
  dependencies: Dependencies = {},
  /** Of its log. */
  lines: string[] = [],
) {
  const { DATABASE_URL = newSqliteUrl() } = environment;
  const config = loadConfig({ CACHE_URL: 'memory:', PORT: '0', ...environment, DATABASE_URL });
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'debug', secrets: config.secrets, destination });
  const app = await createApp(config, { clock: systemClock, log, ...dependencies });
  onFinished(() => app.stop());
  return { app, url: (await app.start()) ?? '', lines };
}

/** Sends a signed vote of now as the service does. */
export async function postVote(
  url: string,
  userId: string,
  options: { path?: string; secret?: string; at?: number } = {},
) {
  const { path = '/webhooks/vote', secret = voteSecret, at = Date.now() } = options;
  const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date(at).toISOString() });
  const headers = { 'x-webhook-signature': sign(body, secret) };
  const response = await fetch(url + path, { method: 'POST', body, headers });
  return { status: response.status, json: (await response.json()) as { outcome?: string } };
}

/** Sends requests to the owner API of a program with this token. */
export function ownerApi(url: string, token: string) {
  return async (path: string, method = 'GET', body?: object) => {
    const init = { method, headers: { authorization: `Bearer ${token}` }, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/owner/api${path}`, init);
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
}
