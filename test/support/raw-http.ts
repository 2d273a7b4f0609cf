import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawConnection {
  /** Sends these very bytes. */
  write(bytes: string | Uint8Array): void;
  /** Closes our half: nothing more will be sent. */
  end(): void;
  destroy(): void;
  /** All that was answered until the other side closed. */
  readonly closed: Promise<string>;
  /** What was answered so far, once there is something that matches. */
  waitForResponse(pattern: RegExp): Promise<string>;
}

/** A connection on which anything can be sent, also what no HTTP client would. */
export function rawConnection(url: string): RawConnection {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  let response = '';
  socket.setEncoding('utf8').on('data', (data: string) => (response += data));
  // What matters of a reset is what was answered before it.
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(response)));
  onTestFinished(() => void socket.destroy());

  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    closed,
    waitForResponse: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(response)) return;
          socket.off('data', check);
          resolve(response);
        };
        socket.on('data', check);
        socket.on('close', () => reject(new Error(`It closed after: ${response}`)));
        check();
      }),
  };
}

/** The answers on a connection: status, headers and body of each. Those to HEAD have a length and no body. */
export function parseResponses(raw: string, { isHead = false } = {}): { status: number; head: string; body: string }[] {
  const responses = [];
  let remainder = raw;
  while (remainder !== '') {
    const [head = ''] = remainder.split('\r\n\r\n', 1);
    const length = isHead ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const bodyStart = head.length + 4;
    responses.push({
      status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
      head,
      body: Buffer.from(remainder)
        .subarray(bodyStart, bodyStart + length)
        .toString(),
    });
    remainder = remainder.slice(bodyStart + length);
  }
  return responses;
}
