/** The console sessions that were signed out, shared by all processes and kept over restarts. */
export interface SessionRevocations {
  /**
   * Resolves when the revocation is on disk; rejects if it cannot be stored.
   * @param session `expiresAt`: the end of the session, until which the revocation is stored; both times in ms since
   * the epoch
   */
  revoke(session: { readonly id: string; readonly expiresAt: number; readonly now: number }): Promise<void>;
  /** Rejects if the database cannot be read. */
  isRevoked(sessionId: string): Promise<boolean>;
}
