/** Changes of accounts by managers. @category Commands */
export interface Awards {
  /**
   * Adds credits to an account, or subtracts them if negative; once per interaction. Rejects with the errors of the
   * store.
   * @returns the balance (credits): the new one, or the unchanged one if it is less than what would be subtracted
   */
  award(award: {
    readonly userId: string;
    /** Whole and not 0. */
    readonly credits: number;
    readonly reason: string;
    /** The manager's user id. */
    readonly author: string;
    readonly interactionId: string;
  }): Promise<{ readonly outcome: 'awarded' | 'overdrawn'; readonly balance: number }>;
}
