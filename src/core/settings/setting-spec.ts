import { durationPattern, parseDuration } from '@tallyhook/platform/duration-text';
import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import { isEqual, type JsonObject, listOf, numberOf, objectOf, textOf } from '@tallyhook/platform/json';
import type { SecretFile } from '@tallyhook/platform/secret-files';
import { channelMention, escapeName, type Markup, markup } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import type { AnnouncementSettings } from '../../texts/announcement-settings.ts';
import type { TextIn, Texts } from '../../texts/texts.ts';
import type { Added, AddedValue } from '../added-value.ts';
import type { ListingRewards } from '../rewards/rules.ts';

/** The settings in effect that the listings of a guild share. Features add theirs: see {@link AddedValue}. */
export interface SharedSettings {
  readonly timeZone: string;
  readonly ownerChannelId: string | null;
}

/** The settings of a listing in effect. */
export interface SettingsInEffect extends SharedSettings {
  readonly announceChannelId: string | null;
  readonly premiumChannelId: string | null;
  readonly rewards: ListingRewards;
  readonly announcements: AnnouncementSettings;
}

/** A setting of a listing, declared once: schemas, `/setup`, `tallyhook config` and the console follow from it. */
export interface SettingSpec {
  /** Position in a listing of the file: `rewards.vote`. */
  readonly path: string;
  /** Explanation in Markdown, for the documentation and the JSON Schema; links are relative to `docs/`. */
  readonly description: string;
  /** The value in the file if nothing states it, unless it is off or taken from the variable. */
  readonly default?: string | boolean;
  /** A value in the file. */
  readonly schema: z.ZodType;
  /** A value that `/setup` stores, if it differs from the file. */
  readonly storedSchema?: z.ZodType;
  /** True if the listings of a guild share it. */
  readonly isShared?: true;
  /** True if `/setup` can store null, which switches it off even if the file or a variable has it. */
  readonly canBeOff?: true;
  /** The variable that it is taken from if the listing does not state it. */
  readonly variable?: string;
  /** Value in the file for one of the variable, if it differs. @param others the variables that listings take values from */
  readonly fromVariable?: (value: unknown, others: Readonly<Record<string, unknown>>) => unknown;
  /** The setting that it is taken from if neither the listing nor the variable has it. */
  readonly fallback?: SettingSpec;
  /** Completes a value of a file or of options, such as with what other files contain. */
  readonly fromFile?: (value: unknown, place: FilePlace) => unknown;
  /** Secret parts of the value. */
  readonly secretParts?: SecretParts;
  /** The value in effect as in the file (JSON), without secrets; null if it is off. */
  readonly inFile: (settings: SettingsInEffect) => unknown;
  /** The value in effect of one of the file; undefined if it is left out, null if it is off. */
  readonly inEffect?: (value: unknown) => Partial<SettingsInEffect> | Added;
  /** The rules in effect for a value of the file; undefined if it is left out, null if it is off. */
  readonly rules?: (value: unknown) => Partial<ListingRewards> | Added;
  /** The announcements in effect for a value of the file; by default the value itself, else the default, else null. */
  readonly announces?: (value: unknown) => Partial<AnnouncementSettings> | Added;
  /** Event that it switches on in all listings of a guild, which share it, or not at all. */
  readonly event?: AddedValue<boolean>;
  /** True if a command `needs` it: without a value it is not offered. */
  readonly isNeeded?: true;
  /** True if it is the id of a channel in which is posted. */
  readonly isChannel?: true;
  /** The roles that members are given by a value as in the file, which may be anything. */
  readonly givenRoles?: (value: unknown) => readonly GivenRole[];
  /** The ids of the roles that it requires of members. */
  readonly requiredRoles?: (value: unknown) => readonly unknown[];
  /** Other settings that the value needs and that are missing. */
  readonly needs?: (settings: SettingsInEffect) => readonly MissingSetting[];
  /** Sentences for the operator about a valid value that is probably a mistake. */
  readonly doubts?: (settings: SettingsInEffect) => readonly string[];
  /** A value as in the file in the words of `/setup`; numbers, texts and switches need none. */
  readonly show?: (value: unknown, texts: Texts) => Markup;
  /** An entry of a list in the words of `/setup`. */
  readonly showEntry?: (entry: JsonObject, texts: Texts) => Markup;
  /** A change of the value in a line, where it says more than before and after; null where it does not. */
  readonly showChange?: (before: unknown, after: unknown, texts: Texts) => Markup | null;
  /** Fields that edit it in a form of `/setup`. */
  readonly fields?: readonly SettingField[];
  /** The form that it is in, if that does not name its settings itself. */
  readonly form?: TextIn<'setup.forms'>;
}

/** A setting that has no value although another one needs it. */
export interface MissingSetting {
  readonly path: string;
  /** Rest of a sentence that begins with the path. */
  readonly problem: string;
}

/** Where a value is in a file or in options, and what reading it finds. */
export interface FilePlace {
  /** Position of the value: `TALLYHOOK_CONFIG listings.0.shop`. */
  readonly setting: string;
  /** The directory to which paths are relative. */
  readonly directory: string;
  readonly issues: ConfigIssue[];
  /** Receives the other files that contain secrets. */
  readonly secretFiles: SecretFile[];
}

export type ValuesByPath = readonly (readonly [path: string, value: unknown])[];

/** Secrets in a value. `/setup` stores each apart, encrypted, at a path that begins with that of the setting. */
export interface SecretParts {
  readonly schema: z.ZodType;
  readonly isAt: (path: string) => boolean;
  /** A changed value, which may be anything, without its secrets, and those that the change replaces. */
  separate(value: unknown, current: SettingsInEffect | undefined): ValuesByPath;
  /**
   * A stored value with its secrets, as in the file.
   * @param secretAt a stored secret; undefined if there is none
   * @param configured the value of the operator, whose secrets stay as long as there are no stored ones
   */
  join(value: unknown, secretAt: (path: string) => unknown, configured?: unknown): unknown;
}

export interface GivenRole {
  /** The id; external, so it can be anything. */
  readonly role: unknown;
  /** Reason for which the role is given. */
  readonly entry: unknown;
}

/** Choices by value, with their labels. */
export type SettingChoices = (texts: Texts) => readonly (readonly [value: string, label: string])[];

export type SettingField = FieldOfPart &
  (
    | { readonly kind: 'number' | 'channels' | 'roles' }
    /** `usual` is what applies while it is empty, and `inserts` what it can contain: both are shown. */
    | {
        readonly kind: 'text' | 'longText';
        readonly usual?: (texts: Texts) => string;
        readonly inserts?: readonly string[];
      }
    /** A select of the usual zones, and a text for any other. */
    | { readonly kind: 'timeZone' }
    /** Texts such as `12h`, or numbers of a unit (ms). A present value that is none of them is offered as well. */
    | { readonly kind: 'duration'; readonly choices: readonly string[]; readonly unitMs?: number }
    /** Several choices, or none, each with a box. */
    | { readonly kind: 'select' | 'radios' | 'checkboxes'; readonly choices: SettingChoices }
    /** Several of the same name are the boxes of one field, each with its label. */
    | { readonly kind: 'switch'; readonly choice: TextIn<'setup.choices'> }
  );

interface FieldOfPart {
  /** In the form, and of its label in the texts. */
  readonly name: TextIn<'setup.fields'>;
  readonly hint?: TextIn<'setup.hints'>;
  /** True for several ids in a long text, or of a select. */
  readonly isList?: true;
  /** True if it cannot stay empty. */
  readonly isRequired?: true;
  readonly maxLength?: number;
  /** The property of the value that it edits; without it, the whole value. */
  readonly part?: string;
  /** An empty field switches the whole setting off. */
  readonly isRequiredPart?: true;
  /** Shown if there is no value. */
  readonly preset?: unknown;
  /** The value of an empty field. By default undefined: what was stored is taken back, or the part is left out. */
  readonly ifEmpty?: unknown;
}

type Typed = 'path' | 'schema' | 'isShared' | 'variable';

/** A setting of which these types are known; `never` if the spec has no such field. */
export type TypedSetting<
  Path extends string,
  Schema extends z.ZodType,
  Shared extends true = never,
  Variable extends string = never,
> = Omit<SettingSpec, Typed> & { readonly path: Path; readonly schema: Schema } & ([Shared] extends [never]
    ? unknown
    : { readonly isShared: Shared }) &
  ([Variable] extends [never] ? unknown : { readonly variable: Variable });

/** Declares a setting. Its type has only what others derive types from. */
export function setting<
  const Path extends string,
  Schema extends z.ZodType,
  Shared extends true = never,
  const Variable extends string = never,
>(
  spec: Omit<SettingSpec, Typed | 'fromFile' | 'inEffect' | 'rules' | 'announces'> & {
    readonly path: Path;
    readonly schema: Schema;
    readonly fromFile?: (value: z.output<Schema>, place: FilePlace) => z.output<Schema>;
    readonly inEffect?: (value: z.output<Schema> | null | undefined) => Partial<SettingsInEffect> | Added;
    readonly rules?: (value: z.output<Schema> | null | undefined) => Partial<ListingRewards> | Added;
    readonly announces?: (value: z.output<Schema> | null | undefined) => Partial<AnnouncementSettings> | Added;
    readonly isShared?: Shared;
    readonly variable?: Variable;
  },
): TypedSetting<Path, Schema, Shared, Variable> {
  return spec as unknown as TypedSetting<Path, Schema, Shared, Variable>;
}

type OptionalSchema<Spec extends SettingSpec> = z.ZodOptional<Spec['schema']>;

/** The schema of a setting in the file, where it can be left out. */
function optional<Spec extends SettingSpec>(spec: Spec): OptionalSchema<Spec> {
  const { schema, description, variable, fallback, default: value }: SettingSpec = spec;
  const others = [variable, fallback?.path].filter((name) => name !== undefined).map((name) => `\`${name}\``);
  const source = others.length === 0 ? '' : ` ${others.join(' or else ')} otherwise.`;
  const meta = { description: description + source, ...(value !== undefined && { default: value }) };
  return z.optional(schema).meta(meta) as OptionalSchema<Spec>;
}

type NameIn<Path extends string, Prefix extends string> = Path extends `${Prefix}${infer Name}`
  ? Name extends `${string}.${string}`
    ? never
    : Name
  : never;

type ShapeOf<Spec extends SettingSpec, Prefix extends string> = {
  [Each in Spec as NameIn<Each['path'], Prefix>]: OptionalSchema<Each>;
};

/** The schemas of a group of settings in the file. @param prefix `rewards.`; empty for those in no group */
export function shapeOf<Spec extends SettingSpec, Prefix extends string>(
  specs: readonly Spec[],
  prefix: Prefix,
): ShapeOf<Spec, Prefix> {
  const entries = specs
    .filter(({ path }) => path.startsWith(prefix) && !path.slice(prefix.length).includes('.'))
    .map((spec) => [spec.path.slice(prefix.length), optional(spec)] as const);
  return Object.fromEntries(entries) as ShapeOf<Spec, Prefix>;
}

/** The value at a path of a listing of the file. */
export function valueAt(listing: JsonObject, path: string): unknown {
  const [top = '', name] = path.split('.');
  return name === undefined ? listing[top] : objectOf(listing[top])[name];
}

/** The listing with values at paths, which have the forms of their settings. */
export function withValuesAt<Listing extends JsonObject>(listing: Listing, values: ValuesByPath): Listing {
  let stated: JsonObject = listing;
  for (const [path, value] of values) {
    const [top = '', name] = path.split('.');
    stated = { ...stated, [top]: name === undefined ? value : { ...objectOf(stated[top]), [name]: value } };
  }
  return stated as Listing;
}

/** Longer lists and texts are cut (entries, characters). */
const maxEntries = 8;
const maxTextLength = 150;

/** Null, false, 0 or nothing: not switched on. */
export function isOff(value: unknown): boolean {
  return !value || isEqual(value, []) || isEqual(value, {});
}

/** The value of a setting in a line. It may be of an imported text, or stored by another version. */
export function showValue(
  spec: Pick<SettingSpec, 'show' | 'showEntry'> | undefined,
  value: unknown,
  texts: Texts,
): Markup {
  if (value === null || value === undefined || isEqual(value, []) || isEqual(value, {})) {
    return texts.text('setup.values.none');
  }
  if (spec?.showEntry) return showList(value, texts, spec.showEntry);
  return (spec?.show ?? showPlain)(value, texts);
}

/** Entries in a line. */
export function showList(value: unknown, texts: Texts, showEntry: (entry: JsonObject, texts: Texts) => Markup): Markup {
  const all = listOf(value);
  const shown = all.slice(0, maxEntries).map((entry) => showEntry(entry, texts));
  return texts.list(all.length > maxEntries ? [...shown, markup`…`] : shown);
}

/** A number, a text, or yes and no. */
export function showPlain(value: unknown, texts: Texts): Markup {
  if (typeof value === 'boolean') return value ? texts.text('setup.values.yes') : texts.text('setup.values.no');
  if (typeof value === 'number') return texts.number(value);
  if (typeof value === 'string') return escapeName(value, maxTextLength);
  return escapeName(JSON.stringify(value) ?? '', maxTextLength);
}

export function showChannel(value: unknown): Markup {
  return channelMention(textOf(value));
}

export function showCredits(value: unknown, texts: Texts): Markup {
  return texts.text('parts.credits', { count: numberOf(value) });
}

/** A duration of the file, such as `12h`; the text itself if it is none. */
export function showDuration(value: unknown, texts: Texts): Markup {
  const text = textOf(value);
  return durationPattern.test(text) ? texts.duration(parseDuration(text)) : escapeName(text, maxTextLength);
}

/** A choice of a form, such as "digest"; the text itself if it is none. */
export function showChoice(value: unknown, texts: Texts): Markup {
  const name = textOf(value);
  return escapeName(texts.has('setup.choices', name) ? texts.text(`setup.choices.${name}`) : name);
}

/** Choices with their names in the texts. */
export function choicesOf(...values: readonly TextIn<'setup.choices'>[]): SettingChoices {
  return ({ text }) => values.map((value) => [value, text(`setup.choices.${value}`)]);
}

/** Examples of what the texts of an announcement can contain. */
const examples = { title: '{listing} {credits} {streak}', text: '{mention} {listing} {credits} {next}' };

/** The hint below a field of a form. */
export function hintText(hint: TextIn<'setup.hints'>, { text }: Texts): string {
  return hint === 'title' || hint === 'text'
    ? text(`setup.hints.${hint}`, { placeholders: examples[hint] })
    : text(`setup.hints.${hint}`);
}

/** Text about what the rules would have paid in the last 30 days, now and before the change (credits). */
export function wouldHavePaid(
  { before, after }: { readonly before: number; readonly after: number },
  { text }: Texts,
): Markup {
  return text('setup.saved.wouldHavePaid', { after: text('parts.credits', { count: after }), before });
}
