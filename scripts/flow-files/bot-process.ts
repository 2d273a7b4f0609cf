/**
 * A bot that counts the calls of each of its functions, on its main thread and in its writer thread:
 * `bot-process.ts <settings as JSON>`.
 */
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { serveParent } from '../../bench/process/child-server.ts';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { type Calls, type CallsByThread, readCalls } from './calls.ts';
import { attachToWorker, type Inspected } from './inspected-worker.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const session = new Session();
session.connect();
const main: Inspected = { post: (method, params) => session.post(method, params) };
const writing = attachToWorker(session, 'write-worker.ts');

const config = loadConfig(JSON.parse(process.argv[2] ?? '{}'));
const log = createLog({ level: config.logLevel, secrets: config.secrets });
const app = await createApp(config, { clock: systemClock, log });
const url = await app.start();
const writer = await writing;
for (const thread of [main, writer]) {
  await thread.post('Profiler.enable');
  await thread.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
}

async function takeCalls(thread: Inspected): Promise<Calls> {
  return readCalls(await thread.post('Profiler.takePreciseCoverage'), root);
}

serveParent({
  url: () => url,
  takeCalls: async (): Promise<CallsByThread> => ({ main: await takeCalls(main), writer: await takeCalls(writer) }),
});
