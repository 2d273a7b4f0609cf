import { z } from 'zod';
import { fileReplacedMessage } from '../../platform/database-files.ts';
import { second } from '../../platform/durations.ts';
import { localBase } from './address.ts';
import { type Finding, fail, pass } from './finding.ts';
import { probeHttp } from './http-probe.ts';

/** How long `/readyz` may take (ms): each of its parts has 4 s. */
const timeout = 6 * second;

/** What the program that runs on this machine says of its store; null where none answers. */
export type RunningStore = z.infer<typeof storeState> | null;

const storeState = z.object({ ready: z.boolean(), reason: z.string().optional() });
const readiness = z.object({ parts: z.object({ store: storeState }) });

/** Only the program itself knows which file it has open, so it is asked. */
export async function askRunningStore(http: { readonly host: string; readonly port: number }): Promise<RunningStore> {
  if (http.port === 0) return null;
  const response = await probeHttp(`${localBase(http.host, http.port)}/readyz`, {}, timeout);
  const parsed = readiness.safeParse(response.status === null ? null : parseJson(response.body));
  return parsed.success ? parsed.data.parts.store : null;
}

/** Whether the running program has another file open than the one that is now at the path. */
export function isFileReplaced(store: RunningStore): boolean {
  return store?.reason === fileReplacedMessage;
}

export function judgeProgram(store: RunningStore): Finding[] {
  if (store === null) return [];
  if (store.ready) return [pass('The running tallyhook can store votes.')];
  const hint = isFileReplaced(store)
    ? 'Do not restart it yet: its log says how to rescue what it still has open. The database was not examined.'
    : 'See its log.';
  return [fail(`The running tallyhook cannot store votes: ${store.reason ?? 'it does not say why'}`, hint)];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
