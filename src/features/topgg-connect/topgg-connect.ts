import type { Clock } from '@tallyhook/platform/clock';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { type LinkResult, newListingName, type Settings, type SettingsAuthor } from '../settings/feature.ts';
import { type Connection, connectionContext } from './connection.ts';
import type { ConnectionStore } from './store.ts';

/** The other site on which the listings are. */
const site = 'topgg';

/** What top.gg says when the owner of a project presses *Connect*. */
export interface Handshake extends Pick<Connection, 'connectionId' | 'userId' | 'kind' | 'targetId'> {
  /** Signs the votes. */
  readonly secret: string;
}

/** What is held for a member, for `/setup`. */
export type HeldConnection = Pick<Connection, 'listing' | 'kind' | 'targetId'>;

export type TopggConnect = ReturnType<typeof createTopggConnect>;

/**
 * Links listings that top.gg connects. A server is linked at once if the member may manage it in Discord; everything else is
 * held for that member to confirm in `/setup`. Its address does not exist before, so its votes get 404.
 */
export function createTopggConnect(options: {
  readonly store: ConnectionStore;
  readonly keyId: () => Promise<string | null>;
  readonly encryption: Encryption;
  readonly settings: Pick<Settings, 'read' | 'link' | 'unlink'>;
  /** Whether Discord says that the member may manage a guild of the bot. */
  readonly isManager: (guildId: string, userId: string) => Promise<boolean>;
  /** Whether nobody could take over a listing of the operator. */
  readonly mayLink: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { store, keyId, encryption, settings, isManager, mayLink, clock, log } = options;

  async function hold({ secret, ...project }: Handshake): Promise<Connection> {
    const context = connectionContext(project.connectionId);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const sealed = seal(encryption.keyFor(await keyId()), secret, context);
      const held = { ...project, listing: newListingName(site), guildId: null, sealed };
      if (await store.hold(held, clock.now())) return held;
    }
    throw new Error('The key of the database keeps changing.');
  }

  async function link(connection: Connection, author: SettingsAuthor): Promise<LinkResult> {
    const { connectionId, listing, kind, targetId, sealed } = connection;
    if (sealed === null) throw new Error('A connection that is held has a secret.');
    const result = await settings.link({
      ...author,
      ...{ site, kind, targetId, name: listing, lookupKey: null },
      voteSecret: encryption.open(sealed, connectionContext(connectionId)),
    });
    if (result.status === 'linked') await store.linked(connectionId, author.guildId);
    return result;
  }

  /** Discord decides, and nobody else: without its word, the connection is held. */
  async function mayLinkIn(guildId: string, userId: string): Promise<boolean> {
    try {
      return mayLink() && (await isManager(guildId, userId));
    } catch (error) {
      log.warn({ guild: guildId, reason: messageOf(error) }, 'Discord did not say who may manage a server; it is held');
      return false;
    }
  }

  async function isLinked({ guildId, listing }: Connection): Promise<boolean> {
    return guildId !== null && (await settings.read(guildId)).listings.some(({ name }) => name === listing);
  }

  return {
    /** Links or holds a project. Repeating it changes nothing. @returns the name of its listing */
    async connect(handshake: Handshake): Promise<string> {
      const { connectionId, userId, kind, targetId } = handshake;
      const stored = await store.find(connectionId);
      if (stored !== null && (await isLinked(stored))) return stored.listing;
      const held = stored !== null && stored.guildId === null ? stored : await hold(handshake);
      const { listing } = held;
      const author = { guildId: targetId, authorId: userId, interactionId: `topgg ${listing}` };
      const mayBeLinked = held.userId === userId && kind === 'server' && (await mayLinkIn(targetId, userId));
      const result = mayBeLinked ? await link(held, author) : null;
      if (result?.status === 'linked') log.info({ guild: targetId, listing }, 'top.gg has connected a server');
      else
        log.info(
          { listing, kind, target: targetId },
          'top.gg has connected a project; its owner confirms it in /setup',
        );
      return listing;
    },

    /** Unlinks the listing that a connection has made, and forgets the connection. */
    async disconnect(connectionId: string): Promise<void> {
      const connection = await store.find(connectionId);
      if (connection === null) return;
      const { guildId, listing, userId: authorId } = connection;
      if (guildId !== null && (await isLinked(connection))) {
        await settings.unlink({ guildId, authorId, interactionId: `topgg unlink ${listing}`, listing });
        log.info({ guild: guildId, listing }, 'top.gg has disconnected a listing');
      }
      await store.remove(connectionId);
    },

    /** What is held for a member who manages a guild. A server is offered in its own guild alone. */
    async heldFor(guildId: string, userId: string): Promise<readonly HeldConnection[]> {
      const held = await store.heldFor(userId);
      return held.filter(({ kind, targetId }) => kind === 'bot' || targetId === guildId);
    },

    /** Links what is held for the author, who manages the guild; null if nothing with this name is. */
    async confirm(listing: string, author: SettingsAuthor): Promise<LinkResult | null> {
      const held = await store.heldFor(author.authorId);
      const connection = held.find((each) => each.listing === listing);
      const isOffered = connection?.kind === 'bot' || connection?.targetId === author.guildId;
      return connection === undefined || !isOffered ? null : link(connection, author);
    },
  };
}
