import type { DatabaseStatus } from '@tallyhook/platform/database/snapshots/database-status';
import { fileProblems } from '@tallyhook/platform/database-files';
import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { probeHttp } from '@tallyhook/platform/doctor/http-probe';
import { second } from '@tallyhook/platform/durations';
import { localUrl } from '@tallyhook/platform/host-address';
import { objectOf, parseJson, textOf } from '@tallyhook/platform/json';
import { z } from 'zod';

/** Timeout of `/readyz` (ms), whose own checks have 4 s. */
const readinessTimeoutMs = 6 * second;

/** Readiness of the store in the running process; null if no process responds on this machine. */
export type RunningStoreState = z.infer<typeof storeState> | null;

const storeState = z.object({ ready: z.boolean(), reason: z.string().optional() });
const readiness = z.object({ parts: z.object({ store: storeState }) });

/** Fetches the state from the running process, since only that process knows which file it has open. */
export async function fetchStoreState(http: {
  readonly host: string;
  readonly port: number;
}): Promise<RunningStoreState> {
  if (http.port === 0) return null;
  const response = await probeHttp(`${localUrl(http.host, http.port)}/readyz`, {}, readinessTimeoutMs);
  const result = readiness.safeParse(response.status === null ? null : parseJson(response.body));
  return result.success ? result.data.parts.store : null;
}

/** Returns whether the file at the path is no longer the one that the running process has open. */
export function isFileReplaced(store: RunningStoreState): boolean {
  return fileProblemOf(store) !== undefined;
}

function fileProblemOf(store: RunningStoreState) {
  return Object.values(fileProblems).find(({ message }) => message === store?.reason);
}

/** @param database the state of the database of DATABASE_URL */
export function evaluateRunningProgram(store: RunningStoreState, database: DatabaseStatus['state']): Finding[] {
  if (store === null) return [];
  if (store.ready && database === 'absent') {
    return [
      fail(
        'Another tallyhook runs at HOST and PORT: it has a database, and that of DATABASE_URL does not exist yet.',
        'Choose another PORT. If you mean the one that runs, start the doctor in its folder, with its settings.',
      ),
    ];
  }
  if (store.ready) return [pass('The running tallyhook can store votes.')];
  const problem = fileProblemOf(store);
  const hint = problem === undefined ? 'See its log.' : `${problem.hint} The database was not checked.`;
  return [fail(`The running tallyhook cannot store votes: ${store.reason ?? 'no reason reported'}`, hint)];
}

/** Three numbers. Others, such as pre-releases, are not compared. */
const versionPattern = /^v?(\d+)\.(\d+)\.(\d+)$/;

/**
 * Checks whether a newer version exists. Fails for nothing: without an answer there is no finding that needs attention.
 * @param url a release in the form of GitHub: `{tag_name, html_url}`
 */
export async function checkRelease(url: string | null, version: string, timeoutMs: number): Promise<Finding[]> {
  if (url === null) return [];
  const headers = { accept: 'application/json', 'user-agent': 'tallyhook' };
  const response = await probeHttp(url, { headers }, timeoutMs);
  if (response.status === null) return [pass(`The latest version is not known: no response (${response.reason}).`)];
  const { tag_name: tag, html_url: page } = objectOf(parseJson(response.body));
  const latest = numbersOf(textOf(tag));
  const own = numbersOf(version);
  if (response.status !== 200 || latest === null || own === null)
    return [pass(`The latest version is not known: status ${response.status}.`)];
  const differing = latest.findIndex((number, index) => number !== own[index]);
  if (differing === -1 || (latest[differing] ?? 0) < (own[differing] ?? 0))
    return [pass(`This version is the latest.`)];
  const changes = URL.canParse(textOf(page)) ? ` What is new: ${new URL(textOf(page)).href}` : '';
  return [warn(`Version ${latest.join('.')} is out; this is ${version}.`, `Make a backup, then upgrade.${changes}`)];
}

function numbersOf(version: string): readonly number[] | null {
  return versionPattern.exec(version)?.slice(1).map(Number) ?? null;
}
