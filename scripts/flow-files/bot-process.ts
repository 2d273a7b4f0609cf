/**
 * A bot that counts the calls of each of its functions, on its main thread and in its writer thread, and whose clock can
 * be advanced: `bot-process.ts <settings as JSON>`.
 */
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog } from '@tallyhook/platform/log';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { serveParent } from '../../bench/process/child-server.ts';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import type { Calls, CallsByThread } from './measure.ts';

/** A thread that is asked in the protocol of Chrome's developer tools. */
interface Inspected {
  post(method: string, params?: object): Promise<unknown>;
}

interface Response {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The part of V8's coverage that is used; the first range of a function is the function itself. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const session = new Session();
session.connect();
const main: Inspected = { post: (method, params) => session.post(method, params) };
const writing = attachToWorker('write-worker.ts');

const config = loadConfig(JSON.parse(process.argv[2] ?? '{}'));
const clock = createOffsetClock();
const app = await createApp(config, { clock, log: createLog({ level: config.logLevel, secrets: config.secrets }) });
const url = await app.start();
const writer = await writing;
for (const thread of [main, writer]) {
  await thread.post('Profiler.enable');
  await thread.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
}

serveParent({
  url: () => url,
  advance: (ms: number) => clock.advance(ms),
  takeCalls: async (): Promise<CallsByThread> => ({ main: await takeCalls(main), writer: await takeCalls(writer) }),
});

/** The calls of the program's functions since they were taken before, without those of its packages and of scripts. */
async function takeCalls(thread: Inspected): Promise<Calls> {
  const { result } = (await thread.post('Profiler.takePreciseCoverage')) as Coverage;
  const calls: Record<string, Record<string, number>> = {};
  for (const { url, functions } of result) {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
    if (!/^(?:src|commands|config)\//.test(file)) continue;
    calls[file] = Object.fromEntries(
      functions.map(({ functionName, ranges: [own] }) => [`${own?.startOffset} ${functionName}`, own?.count ?? 0]),
    );
  }
  return calls;
}

/** The next worker thread whose entry file has this name. */
async function attachToWorker(entryFile: string): Promise<Inspected> {
  const attached = new Promise<string>((resolve) => {
    session.on('NodeWorker.attachedToWorker', ({ params }) => {
      if (params.workerInfo.url.endsWith(entryFile)) resolve(params.sessionId);
    });
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result, error }: Response = JSON.parse(params.message);
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error.message));
    waiting.delete(id);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const sessionId = await attached;
  let lastId = 0;
  return {
    async post(method, params = {}) {
      lastId += 1;
      const response = Promise.withResolvers<unknown>();
      waiting.set(lastId, response);
      const message = JSON.stringify({ id: lastId, method, params });
      await session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
      return response.promise;
    },
  };
}
