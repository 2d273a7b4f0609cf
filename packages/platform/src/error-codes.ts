/** The codes of a LookupError: why a lookup failed. @category Errors */
export type LookupErrorCode =
  | 'lookup_wrong_key_type'
  | 'lookup_bad_parameter'
  | 'lookup_bad_request'
  | 'lookup_key_refused'
  | 'lookup_not_found'
  | 'lookup_rate_limited'
  | 'lookup_over_budget'
  | 'lookup_uncounted'
  | 'lookup_service_error'
  | 'lookup_unreachable'
  | 'lookup_timeout'
  | 'lookup_not_json'
  | 'lookup_wrong_shape'
  | 'lookup_unexpected_status';

/** The codes of invalid options of the lookup client and its cache. */
export type LookupOptionErrorCode =
  | 'cache_url_unknown'
  | 'lookup_base_url_malformed'
  | 'lookup_base_url_missing'
  | 'lookup_key_malformed'
  | 'lookup_key_missing'
  | 'lookup_kind_missing'
  | 'lookup_kind_unknown';

/** The codes of the command line and of what it starts. */
export type CommandLineErrorCode =
  | 'cannot_listen'
  | 'endpoint_rejected'
  | 'invalid_import_file'
  | 'no_token'
  | 'not_registered'
  | 'stopped'
  | 'unreadable_file'
  | 'usage';

/** The codes of the database, its backups and exports. */
export type DatabaseErrorCode =
  | 'cannot_open_database'
  | 'cannot_write'
  | 'damaged'
  | 'database_exists'
  | 'database_file_replaced'
  | 'database_too_new'
  | 'database_unreleased'
  | 'foreign_database'
  | 'file_exists'
  | 'in_use'
  | 'no_database'
  | 'no_ledger'
  | 'not_ours'
  | 'partial_exists'
  | 'queue_full'
  | 'store_unavailable';

/** The codes of encrypted settings. */
export type EncryptionErrorCode = 'key_file_unusable' | 'sealed_text_damaged' | 'settings_key_missing';

/** The codes of invalid options of `createApp`. */
export type AppOptionErrorCode =
  | 'command_name_invalid'
  | 'command_needs_gateway'
  | 'command_name_taken'
  | 'text_invalid';

/** The codes of changes of the ledger by programs. */
export type LedgerErrorCode =
  | 'ledger_invalid_change'
  | 'ledger_key_reused'
  | 'ledger_overdrawn'
  | 'ledger_refunded'
  | 'ledger_unknown_community'
  | 'ledger_unknown_spend';

/** The codes of the listing service for development. */
export type ServiceErrorCode =
  | 'invalid_listing'
  | 'listed_already'
  | 'no_active_order'
  | 'no_webhook'
  | 'service_address'
  | 'service_database'
  | 'invalid_user'
  | 'unknown_listing'
  | 'webhook_url_rejected';

/**
 * The codes of the sandbox: of itself, of its Discord client (an input that Discord's own client rejects), and of its
 * Discord API.
 */
export type SandboxErrorCode =
  | 'application_did_not_respond'
  | 'disabled'
  | 'discord_refusal'
  | 'field_missing'
  | 'field_too_long'
  | 'field_too_short'
  | 'no_autocomplete'
  | 'no_modal'
  | 'not_offered'
  | 'invalid_authorization'
  | 'not_permitted'
  | 'option_invalid'
  | 'option_missing'
  | 'page_not_bundled'
  | 'picked_too_many_or_few'
  | 'picked_twice'
  | 'sandbox_clock'
  | 'subcommand_missing'
  | 'unknown_channel'
  | 'unknown_command'
  | 'unknown_locale'
  | 'unknown_component'
  | 'unknown_message'
  | 'unknown_option'
  | 'unknown_role'
  | 'unknown_subcommand'
  | 'unknown_user';

/** The codes of a VerificationError: why `verify` did not accept a delivery. */
export type VerificationErrorCode =
  | 'webhook_body_empty'
  | 'webhook_body_encoded'
  | 'webhook_body_not_json'
  | 'webhook_body_too_large'
  | 'webhook_body_unavailable'
  | 'webhook_method'
  | 'webhook_secret_missing'
  | 'webhook_signature_malformed'
  | 'webhook_signature_mismatch'
  | 'webhook_signature_missing'
  | 'webhook_too_old'
  | 'webhook_unprocessable'
  | 'webhook_vote_unsigned'
  | 'webhook_wrong_family';

/** The codes of options and settings, and of the order of calls. */
export type OptionErrorCode =
  | 'already_started'
  | 'already_stopped'
  | 'file_missing'
  | 'invalid_options'
  | 'invalid_settings'
  | 'node_too_old'
  | 'sites_not_bundled'
  | 'tracing_not_installed';

/** Every `code` that this version gives a TallyhookError. @category Errors */
export type KnownErrorCode =
  | LookupErrorCode
  | LookupOptionErrorCode
  | CommandLineErrorCode
  | DatabaseErrorCode
  | EncryptionErrorCode
  | LedgerErrorCode
  | AppOptionErrorCode
  | ServiceErrorCode
  | SandboxErrorCode
  | VerificationErrorCode
  | OptionErrorCode;

/**
 * The `code` of a TallyhookError. Codes are stable: programs may compare with them. docs/errors.md describes each. Later
 * versions add codes, so a program also meets texts that it does not know.
 * @category Errors
 */
export type TallyhookErrorCode = KnownErrorCode | (string & {});
