import { once } from 'node:events';
import { connect } from 'node:net';
import { responseLength } from './response.ts';

/** A keep-alive connection with one request at a time. It takes a third of the CPU of an HTTP client. */
export interface Connection {
  /** The previous request must have been answered. */
  send(request: Buffer): void;
  close(): void;
}

const statusDigit = 'HTTP/1.1 '.length;
const two = '2'.charCodeAt(0);

/** Whether a vote with this status was accepted: 2xx. */
export function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}

/** @param onAnswer called with the status; @param onBroken called when the server has closed the connection */
export async function openConnection(
  port: number,
  onAnswer: (status: number) => void,
  onBroken: (reason: string) => void,
): Promise<Connection> {
  let pending = '';
  // Responses to the same request have the same length, so a chunk of that length needs no parsing.
  let usualLength = -1;
  let closed = false;

  function received(length: number, buffer: Uint8Array): boolean {
    if (pending === '' && length === usualLength && buffer[statusDigit] === two) {
      onAnswer(200);
      return true;
    }
    pending += Buffer.from(buffer.subarray(0, length)).toString('latin1');
    const whole = responseLength(pending);
    if (whole !== null && pending.length >= whole) {
      const status = Number(pending.slice(statusDigit, statusDigit + 3));
      if (isAccepted(status)) usualLength = whole;
      pending = '';
      onAnswer(status);
    }
    return true;
  }

  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.alloc(16 * 1024), callback: received },
  });
  await once(socket, 'connect');
  socket.on('error', (error) => closed || onBroken(error.message));
  socket.on('close', () => closed || onBroken('closed by the server'));
  return {
    send: (request) => void socket.write(request),
    close() {
      closed = true;
      socket.destroy();
    },
  };
}
