import type { SealContext } from '@tallyhook/platform/encryption/sealed-text';

/** A project of top.gg whose owner has pressed *Connect* there. */
export interface Connection {
  /** top.gg's own id of it. */
  readonly connectionId: string;
  /** The name of its listing, or of the one to be: it is part of the address that top.gg has. */
  readonly listing: string;
  /** The Discord user who has pressed *Connect*. */
  readonly userId: string;
  readonly kind: 'server' | 'bot';
  /** Discord id of the server or bot. */
  readonly targetId: string;
  /** The guild in which the listing was linked; null while the connection is held. */
  readonly guildId: string | null;
  /** The encrypted secret of a connection that is held; null once it is linked, because the listing has the secret. */
  readonly sealed: string | null;
}

/** The row of a secret. */
export function connectionContext(connectionId: string): SealContext {
  return ['topgg_connections', connectionId];
}
