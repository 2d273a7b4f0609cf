import type { Session } from 'node:inspector/promises';

/** A thread that is asked in the protocol of Chrome's developer tools. */
export interface Inspected {
  post(method: string, params?: object): Promise<unknown>;
}

interface Response {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The next worker thread whose entry file has this name. The session belongs to the main thread. */
export async function attachToWorker(session: Session, entryFile: string): Promise<Inspected> {
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
