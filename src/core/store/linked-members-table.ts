/** Times are ms since the epoch. */
export interface LinkedMembersTable {
  user_id: string;
  access_token: string;
  refresh_token: string;
  /** When the access token expires. */
  expires_at: number;
  /** Discord's code of the member's language. */
  locale: string;
  linked_at: number;
  /** JSON: the values that Discord has; null before the first update. */
  pushed: string | null;
  /** When an update was enqueued that no vote asked for; null if the last one has succeeded. */
  requested_at: number | null;
  /** Until when a process is requesting new tokens; null if none is. */
  refreshing_until: number | null;
}
