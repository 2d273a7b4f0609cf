import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';

/*
 * For `node --import`, with the folder of the bundle as `?bundle=`: write workers run from the bundle. From the sources,
 * each would load the WebAssembly that removes types, and V8 sometimes aborts when many threads free WebAssembly
 * ("Check failed: jit_page_->allocations_.erase(addr) == 1", nodejs/node#64500).
 */
const bundle = new URL(import.meta.url).searchParams.get('bundle');
const bundledWorker = new URL(`${bundle}/dist/program/write-worker.js`, 'file:').href;

workerThreads.Worker = class extends workerThreads.Worker {
  constructor(file, options) {
    super(String(file).endsWith('/src/features/write-worker.ts') ? new URL(bundledWorker) : file, options);
  }
};
syncBuiltinESMExports();
