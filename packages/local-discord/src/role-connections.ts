import { day } from '@tallyhook/platform/durations';
import { z } from 'zod';
import type { DiscordState } from './discord-state.ts';
import { fieldError } from './errors.ts';
import { isLocale } from './locales.ts';
import { addIssue, validate } from './validate.ts';

const localizations = z
  .record(
    z.string().superRefine((locale, context) => {
      if (!isLocale(locale)) addIssue(context, [], 'BASE_TYPE_CHOICES', 'Unknown locale');
    }),
    z.string().max(200).nullable(),
  )
  .nullish();

/** Discord: "Application Role Connection Metadata Structure". */
const recordSchema = z.object({
  type: z.int().min(1).max(8),
  key: z.string().regex(/^[a-z0-9_]{1,50}$/),
  name: z.string().min(1).max(100),
  name_localizations: localizations,
  description: z.string().min(1).max(200),
  description_localizations: localizations,
});

/** Discord: "Update Current User Application Role Connection". */
const connectionSchema = z.object({
  platform_name: z.string().max(50).nullish(),
  platform_username: z.string().max(100).nullish(),
  metadata: z.record(z.string(), z.string().max(100)).nullish(),
});

/** A value that an application defines for linked roles (Discord: "Application Role Connection Metadata"). */
export type RoleConnectionRecord = z.output<typeof recordSchema>;

/** A condition of a linked role: a record with the value to compare with (a number, or days). */
export interface LinkedRoleCondition {
  readonly key: string;
  readonly value: number;
}

/** A member's connection to the application, as the bot has saved it. */
export type RoleConnectionObject = z.output<typeof connectionSchema>;

/** Linked roles, as people use them. Discord: "Application Role Connection Metadata". */
export interface LinkedRoleControls {
  /** The records that the application has published. */
  readonly records: readonly RoleConnectionRecord[];
  /** Replaces what the application has published. */
  saveRecords(body: unknown): readonly RoleConnectionRecord[];
  /** The connection of a member; without one, an empty one. */
  connectionOf(userId: string): RoleConnectionObject;
  /** The owner makes a role one that Discord gives to members who meet all conditions. */
  linkRole(roleId: string, conditions: readonly LinkedRoleCondition[]): void;
}

/** The linked roles of the guild, and the connections of members. Discord: "Application Role Connection Metadata". */
export class RoleConnections implements LinkedRoleControls {
  records: readonly RoleConnectionRecord[] = [];
  readonly #state: DiscordState;
  readonly #connections = new Map<string, z.output<typeof connectionSchema>>();
  readonly #conditions = new Map<string, readonly LinkedRoleCondition[]>();

  constructor(state: DiscordState) {
    this.#state = state;
  }

  /** At most five. */
  saveRecords(body: unknown): readonly RoleConnectionRecord[] {
    this.records = validate(z.array(recordSchema).max(5), body);
    return this.records;
  }

  connectionOf(userId: string): RoleConnectionObject {
    return this.#connections.get(userId) ?? { platform_name: '', platform_username: null, metadata: {} };
  }

  saveConnection(userId: string, body: unknown) {
    const connection = validate(connectionSchema, body);
    for (const [key, value] of Object.entries(connection.metadata ?? {})) {
      const record = this.records.find((each) => each.key === key);
      if (record === undefined) throw fieldError(['metadata', key], 'BASE_TYPE_CHOICES', 'Unknown metadata key');
      if (Number.isNaN(numberOf(record, value)))
        throw fieldError(['metadata', key], 'NUMBER_TYPE_COERCE', `Value "${value}" does not have the record's type.`);
    }
    this.#connections.set(userId, connection);
    this.assign(userId);
    return this.connectionOf(userId);
  }

  deleteConnection(userId: string): void {
    this.#connections.delete(userId);
    this.assign(userId);
  }

  linkRole(roleId: string, conditions: readonly LinkedRoleCondition[]): void {
    this.#conditions.set(roleId, conditions);
    for (const userId of this.#state.members.keys()) this.assign(userId);
  }

  /** Gives a member the linked roles, and takes away those whose conditions are not met. */
  assign(userId: string): void {
    const member = this.#state.members.get(userId);
    if (member === undefined || member.user.bot || this.#conditions.size === 0) return;
    const { metadata } = this.#connections.get(userId) ?? {};
    const linked = [...this.#conditions.keys()];
    const deserved = linked.filter((roleId) => metadata != null && this.#isMet(roleId, metadata));
    const roles = [...member.roles.filter((role) => !linked.includes(role)), ...deserved];
    if (roles.toSorted().join() !== member.roles.toSorted().join()) this.#state.setRoles(member, roles);
  }

  #isMet(roleId: string, metadata: Readonly<Record<string, string>>): boolean {
    return (this.#conditions.get(roleId) ?? []).every(({ key, value }) => {
      const record = this.records.find((each) => each.key === key);
      const text = metadata[key];
      if (record === undefined || text === undefined) return false;
      const isTime = record.type === 5 || record.type === 6;
      const limit = isTime ? this.#state.clock.now() - value * day : value;
      return compare(record.type, numberOf(record, text), limit);
    });
  }
}

function numberOf({ type }: RoleConnectionRecord, text: string): number {
  if (type === 5 || type === 6)
    return z.iso.datetime({ offset: true }).safeParse(text).success ? Date.parse(text) : Number.NaN;
  return /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** Discord: "Application Role Connection Metadata Type". */
function compare(type: number, value: number, limit: number): boolean {
  if (type === 1 || type === 5) return value <= limit;
  if (type === 2 || type === 6) return value >= limit;
  return type === 3 || type === 7 ? value === limit : value !== limit;
}
