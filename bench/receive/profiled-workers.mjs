import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';

/* For `node --import`: worker threads have the options of Node for profiles, too, which the program starts without any. */
workerThreads.Worker = class extends workerThreads.Worker {
  constructor(file, options) {
    super(file, { ...options, execArgv: process.execArgv });
  }
};
syncBuiltinESMExports();
