/*
 * The parts of a message that are drawn: Discord's API objects, under their names. Discord: "Message Object",
 * "Component Reference".
 */

type Maybe<Value> = Value | null | undefined;

/** A picture of a component; sizes in pixels. */
export interface ShownPicture {
  readonly media: { readonly url: string; readonly width?: number | undefined; readonly height?: number | undefined };
  readonly description?: Maybe<string>;
  readonly spoiler?: boolean | undefined;
}

interface Emoji {
  readonly name?: Maybe<string>;
}

export interface ShownButton {
  readonly type: 2;
  readonly style: number;
  readonly label?: string | undefined;
  readonly emoji?: Emoji | undefined;
  readonly custom_id?: string | undefined;
  readonly url?: string | undefined;
  readonly disabled?: boolean | undefined;
}

export interface ShownOption {
  readonly label: string;
  readonly value: string;
  readonly description?: Maybe<string>;
  readonly emoji?: Maybe<Emoji>;
  readonly default?: Maybe<boolean>;
}

/** A select: of its own options, or (5 to 8) of members, roles, both, or channels. */
export type ShownSelect = {
  readonly custom_id: string;
  readonly placeholder?: Maybe<string>;
  readonly min_values?: Maybe<number>;
  readonly max_values?: Maybe<number>;
  readonly disabled?: Maybe<boolean>;
} & (
  | { readonly type: 3; readonly options: readonly ShownOption[] }
  | {
      readonly type: 5 | 6 | 7 | 8;
      readonly default_values?: Maybe<readonly { readonly id: string }[]>;
      readonly channel_types?: Maybe<readonly number[]>;
    }
);

interface ShownText {
  readonly type: 10;
  readonly content: string;
}

export interface ShownSection {
  readonly type: 9;
  readonly components: readonly ShownText[];
  readonly accessory: ShownButton | ShownSelect | (ShownPicture & { readonly type: 11 });
}

type Inner =
  | { readonly type: 1; readonly components: readonly (ShownButton | ShownSelect)[] }
  | ShownSection
  | ShownText
  | { readonly type: 12; readonly items: readonly ShownPicture[] }
  | {
      readonly type: 13;
      readonly file: { readonly url: string };
      readonly name?: Maybe<string>;
      readonly size?: Maybe<number>;
    }
  | { readonly type: 14; readonly divider?: boolean | undefined; readonly spacing?: number | undefined };

export interface ShownContainer {
  readonly type: 17;
  readonly components: readonly Inner[];
  /** RGB. */
  readonly accent_color?: Maybe<number>;
  readonly spoiler?: boolean | undefined;
}

export type ShownComponent = Inner | ShownContainer;

export interface ShownAttachment {
  readonly url: string;
  readonly filename: string;
  readonly description?: string | undefined;
  /** Bytes. */
  readonly size: number;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

export interface ShownEmbed {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly url?: string | undefined;
  readonly timestamp?: string | undefined;
  readonly color?: number | undefined;
  readonly footer?: { readonly text: string } | undefined;
  readonly image?:
    | {
        readonly url: string;
        readonly description?: Maybe<string>;
        readonly width?: number | undefined;
        readonly height?: number | undefined;
      }
    | undefined;
  readonly thumbnail?: { readonly url: string } | undefined;
  readonly author?:
    | { readonly name: string; readonly url?: Maybe<string>; readonly icon_url?: Maybe<string> }
    | undefined;
  readonly fields?:
    | readonly { readonly name: string; readonly value: string; readonly inline?: Maybe<boolean> }[]
    | undefined;
}

export interface ShownMessage {
  readonly id: string;
  readonly author: { readonly username: string; readonly bot: boolean };
  readonly content: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly edited_timestamp: string | null;
  readonly flags: number;
  readonly attachments: readonly ShownAttachment[];
  readonly embeds: readonly ShownEmbed[];
  readonly components: readonly ShownComponent[];
}

export interface Mention {
  readonly kind: 'user' | 'role' | 'channel';
  readonly id: string;
}

/** Who reads a message, and what its ids and addresses stand for there. */
export interface MessageView {
  /** The language of times; the browser's by default. */
  readonly locale: string | undefined;
  /** ms since the epoch. */
  now(): number;
  /** Undefined if it is not known. */
  nameOf(mention: Mention): string | undefined;
  /** Where a picture is loaded from; null if it is not. @param name of what it shows, as far as it is known */
  pictureAt(url: string, name?: string): string | null;
  /** Where a file is loaded from; null if it is not. */
  fileAt(url: string): string | null;
  /** Where a link leads. */
  linkTo(url: string): string;
  optionsOf(select: ShownSelect): readonly SelectOption[];
}

export interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  readonly selected: boolean;
}
