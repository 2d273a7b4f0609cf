/** A WebSocket that is being opened. */
interface OpeningConnection {
  readonly readyState: number;
  onerror: unknown;
  close(): void;
}

/**
 * Finds the connections that a sharding strategy is opening, and returns a function that closes them. discord.js closes
 * only open ones when it is destroyed: another would open, keep the process alive, and throw if that failed.
 * @param strategy of @discordjs/ws, whose shards and connections are private
 */
export function findOpeningConnections(strategy: object): () => void {
  const shards: unknown = Reflect.get(strategy, 'shards');
  const connections =
    shards instanceof Map ? [...shards.values()].map(connectionOf).filter((each) => each !== null) : [];
  return () => {
    for (const connection of connections.filter(({ readyState }) => readyState === WebSocket.CONNECTING)) {
      connection.onerror = () => {};
      connection.close();
    }
  };
}

function connectionOf(shard: unknown): OpeningConnection | null {
  const connection: unknown = typeof shard === 'object' && shard !== null ? Reflect.get(shard, 'connection') : null;
  return isOpening(connection) ? connection : null;
}

function isOpening(connection: unknown): connection is OpeningConnection {
  return (
    typeof connection === 'object' &&
    connection !== null &&
    'readyState' in connection &&
    connection.readyState === WebSocket.CONNECTING
  );
}
