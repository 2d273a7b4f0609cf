import { createHash, randomBytes } from 'node:crypto';
import { minute } from '@tallyhook/platform/durations';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import { parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import { newListingName } from '../listing-changes.ts';

/** How long an owner may take (ms). */
const lifetimeMs = 10 * minute;

const ticket = z.object({
  guildId: z.string(),
  userId: z.string(),
  /** The name that the new listing gets. */
  listing: z.string(),
  expiresAt: z.number(),
});
const attempt = ticket.extend({ state: z.string(), verifier: z.string() });

/** Who connects which guild, from `/setup` on. */
export type ConnectTicket = z.infer<typeof ticket>;
/** A ticket in the browser that has used it, with the state and the verifier of the PKCE. */
export type ConnectAttempt = z.infer<typeof attempt>;

/**
 * Tickets and attempts are encrypted with the key of the database, so that they need no storage, and every process can
 * read them. They are separate: the link of a ticket is no attempt.
 */
export function createConnectTickets(options: {
  readonly encryption: Encryption;
  /** The id of the database's current key. */
  readonly keyId: () => Promise<string | null>;
  readonly now: () => number;
}) {
  const { encryption, keyId, now } = options;

  async function write(kind: 'ticket' | 'attempt', content: object): Promise<string> {
    return seal(encryption.keyFor(await keyId()), JSON.stringify(content), ['connect', kind]);
  }

  function read<Schema extends typeof ticket>(kind: 'ticket' | 'attempt', text: string, schema: Schema) {
    let content: unknown;
    try {
      content = parseJson(encryption.open(text, ['connect', kind]));
    } catch {
      return null;
    }
    const parsed = schema.safeParse(content);
    const isValid = parsed.success && parsed.data.expiresAt > now() && parsed.data.expiresAt <= now() + lifetimeMs;
    return isValid ? parsed.data : null;
  }

  return {
    /** A ticket for a member, with the name of the listing to be. */
    async issue(guildId: string, userId: string): Promise<{ readonly ticket: string; readonly listing: string }> {
      const listing = newListingName('server');
      const content: ConnectTicket = { guildId, userId, listing, expiresAt: now() + lifetimeMs };
      return { ticket: await write('ticket', content), listing };
    },
    /** Null for what is forged or has expired. */
    open: (text: string): ConnectTicket | null => read('ticket', text, ticket),
    /** Begins an attempt, which ends with its ticket. */
    async start(opened: ConnectTicket) {
      const random = () => randomBytes(32).toString('base64url');
      const begun: ConnectAttempt = { ...opened, state: random(), verifier: random() };
      const challenge = createHash('sha256').update(begun.verifier).digest('base64url');
      return { state: begun.state, challenge, sealed: await write('attempt', begun) };
    },
    /** As {@link open}. */
    resume: (text: string): ConnectAttempt | null => read('attempt', text, attempt),
  };
}

export type ConnectTickets = ReturnType<typeof createConnectTickets>;
