// As one import: a Node that is too old lacks Zstandard, and is to load the module that says so.
import zlib from 'node:zlib';

/** The compression of all messages of a connection, as one stream. Discord: "Gateway", transport compression. */
export type Compression = 'zlib-stream' | 'zstd-stream';

export function isCompression(name: string): name is Compression {
  return name === 'zlib-stream' || name === 'zstd-stream';
}

/** Compresses the messages of a connection. The bytes of each are sent together, as some clients expect. */
export class MessageCompressor {
  readonly #stream;
  readonly #flushKind: number;
  readonly #closed = new AbortController();
  #chunks: Buffer[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(compression: Compression) {
    const isZlib = compression === 'zlib-stream';
    this.#stream = isZlib ? zlib.createDeflate() : zlib.createZstdCompress();
    this.#flushKind = isZlib ? zlib.constants.Z_SYNC_FLUSH : zlib.constants.ZSTD_e_flush;
    this.#stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
  }

  /** Compresses a message, and passes the bytes to `send`, after those of the messages before. */
  compress(message: string | Buffer, send: (bytes: Buffer) => void): void {
    this.afterLast(async () => {
      this.#stream.write(message);
      await new Promise<void>((resolve) => this.#stream.flush(this.#flushKind, resolve));
      send(Buffer.concat(this.#chunks));
      this.#chunks = [];
    });
  }

  /** Does something when all messages so far are sent. */
  afterLast(action: () => unknown): void {
    this.#last = this.#last.then(async () => {
      if (!this.#closed.signal.aborted) await action();
    });
  }

  /** Drops what is not sent yet. */
  close(): void {
    this.#closed.abort();
    this.#stream.close();
  }
}
