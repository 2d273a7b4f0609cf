/** The console's sessions that were signed out, known to every process and after every restart. */
export interface SessionRevocations {
  /**
   * Resolves once it is on disk; rejects where it cannot be stored.
   * @param session when it would have ended by itself, until which it is remembered, and the present moment (ms since the epoch)
   */
  revoke(session: { readonly id: string; readonly expiresAt: number; readonly now: number }): Promise<void>;
  /** Rejects where the database cannot be read. */
  isRevoked(sessionId: string): Promise<boolean>;
}
