/** What is stored about a member, for the member. Rejects with the errors of the store. */
export interface MemberDataAccess {
  /** Everything as JSON; null if nothing is stored. Times are ms since the epoch. */
  export(userId: string): Promise<string | null>;
  /** Deletes what links the stored data to the member. Repeating it changes nothing. */
  forget(userId: string): Promise<void>;
  /** Ends linked roles. Returns whether the member had linked the account. */
  unlink(userId: string): Promise<boolean>;
}
