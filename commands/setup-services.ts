import type { SetupChecks } from './setup-checks.ts';
import type { SetupDrafts } from './setup-drafts.ts';
import type { Setup } from './setup-port.ts';

/** What `/setup` needs. */
export interface SetupServices {
  readonly settings: Setup;
  readonly checks: SetupChecks;
  readonly drafts: SetupDrafts;
}
