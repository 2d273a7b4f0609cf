import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawConnection {
  /** Sends the bytes unchanged. */
  write(bytes: string | Uint8Array): void;
  /** Half-closes the connection: sends FIN, and can still receive. */
  end(): void;
  destroy(): void;
  /** Resolves with the complete response data when the connection closes. */
  readonly closed: Promise<string>;
  /** Resolves with the response data so far once it matches the pattern. Rejects if the connection closes first. */
  waitForResponse(pattern: RegExp): Promise<string>;
}

/** Opens a TCP connection that can send arbitrary bytes, including invalid HTTP. */
export function rawConnection(url: string): RawConnection {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  let response = '';
  socket.setEncoding('utf8').on('data', (data: string) => (response += data));
  // After a reset, `closed` still returns the data received before it.
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
        socket.on('close', () => reject(new Error(`The connection closed after: ${response}`)));
        check();
      }),
  };
}

/** Parses the responses of a connection. Responses to HEAD have a Content-Length but no body. */
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
