import type { Markup, Plain } from '@tallyhook/platform/texts/markup';

/** The value of an option. A component returns each of them as a string. @category Replies */
export type OptionValue = string | number | boolean;

/**
 * The target of a component or modal: an action of a command. It is stored in the component's id, so it works forever.
 * @category Replies
 */
export interface ActionTarget {
  /** One of the command's `actions`. */
  readonly action: string;
  /** The options for the action; with the names of command and action at most 100 characters. */
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** The command with the action, if it is not the one that replies. */
  readonly command?: string;
}

/**
 * A button. A link opens a URL; a page button calls the command's `execute` with the options of the button; an action
 * button also with the name of the action.
 * @category Replies
 */
export type ReplyButton =
  | { readonly kind: 'link'; readonly label: Plain; readonly url: string }
  | {
      readonly kind: 'page';
      readonly label: Plain;
      readonly disabled: boolean;
      /** The options of the target page; with the command's name at most 100 characters. */
      readonly options: Readonly<Record<string, OptionValue>>;
    }
  | (ActionTarget & {
      readonly kind: 'action';
      readonly label: Plain;
      /** Default: secondary (grey). */
      readonly style?: 'primary' | 'secondary' | 'success' | 'danger';
      readonly disabled?: boolean;
      /** True if it begins a row of a reply. */
      readonly beginsRow?: boolean;
    });

/**
 * A choice of a select. `label` and `description` are shown in up to 100 characters; at most 25 choices.
 * @category Replies
 */
export interface SelectChoice {
  readonly label: Plain;
  /** 1 to 100 characters, distinct. */
  readonly value: string;
  readonly description?: Plain;
  readonly selected?: boolean;
}

/**
 * The choices of a select: fixed choices, or the users, roles or channels of the guild, whose values are their ids. Of
 * the channels only those with messages.
 * @category Replies
 */
export type SelectSource =
  | { readonly kind: 'choices'; readonly choices: readonly SelectChoice[] }
  | {
      readonly kind: 'users' | 'roles' | 'channels';
      /** The ids that are selected at first; as many as `maxValues`. */
      readonly selected?: readonly string[];
    };

/** A menu in which a member selects values. @category Replies */
export type Select = SelectSource & {
  /** Shown while nothing is selected. */
  readonly placeholder?: Plain;
  /** How many values can be selected, each 1 by default and at most 25. */
  readonly minValues?: number;
  readonly maxValues?: number;
};

/** A select in a message. It calls the action as soon as the member has selected the values. @category Replies */
export type ReplySelect = Select & ActionTarget & { readonly disabled?: boolean };

/**
 * At most 25 per reply, with 256 characters for the name and 1,024 for the value. Discord: "Embed Limits".
 * @category Replies
 */
export interface ReplyField {
  readonly name: Markup;
  readonly value: Markup;
  readonly inline?: boolean;
}

/** An attached file. At most 10 per reply. @category Replies */
export interface ReplyFile {
  /** Letters, digits, `.`, `-` and `_`, if it is an image of the message. */
  readonly name: string;
  readonly content: Uint8Array;
  /** For screen readers. */
  readonly description?: Plain;
}

/**
 * The reply to a member: plain data that is rendered as an embed. Texts that exceed Discord's limits are
 * truncated. Its types guarantee that external text is escaped.
 * @category Replies
 */
export interface Reply {
  readonly tone: 'good' | 'plain' | 'wait' | 'bad';
  /** 0xRRGGBB, in place of the colour of the tone. */
  readonly colour?: number;
  /** Above the title: a name, shown without markup, and the https URL of a small round picture. */
  readonly author?: { readonly name: string; readonly pictureUrl?: string };
  readonly title?: Markup;
  /** The link of the title. */
  readonly url?: string;
  readonly text?: Markup;
  readonly fields?: readonly ReplyField[];
  /** Shown without markup. */
  readonly footer?: Plain;
  /** The time of the event (ms since the epoch), if it is not the current time. */
  readonly at?: number;
  /** At most five rows of five buttons; each select takes a row. */
  readonly buttons?: readonly ReplyButton[];
  /** At most five, shown above the buttons. */
  readonly selects?: readonly ReplySelect[];
  readonly files?: readonly ReplyFile[];
  /** A small image beside the text: its https URL, and what it shows, for screen readers. */
  readonly thumbnail?: { readonly url: string; readonly description: Plain };
  /** The name of one of `files`, shown as a picture below the text. */
  readonly image?: string;
  /**
   * For components, and modals that they opened: whether the reply replaces the message of the component, or is a new
   * message that only the member sees. Default: `update` for page buttons, `new` for actions.
   */
  readonly response?: 'new' | 'update';
  /**
   * Replaces the message with what it resolves to; null leaves it. It is called once, with a signal that aborts when
   * Discord accepts no more changes (14 minutes). If too many wait already, it is not called.
   */
  readonly later?: Later;
}

/** Waits for what a message waits for. @category Replies */
export type Later = (signal: AbortSignal) => Promise<Reply | Panel | null>;

/**
 * A message of blocks in one frame, for what is a panel rather than a sentence. Texts that exceed Discord's limits are
 * truncated, and blocks left out. Discord: "Components V2".
 * @category Replies
 */
export interface Panel {
  readonly kind: 'panel';
  /** The colour of the frame; never the only carrier of a meaning. */
  readonly tone: Reply['tone'];
  /** 0xRRGGBB, in place of the colour of the tone. */
  readonly colour?: number;
  /** A heading. */
  readonly title?: Markup;
  /** At most 40 components: a section or thumbnail counts as three, a select as two, a row of buttons as one more. */
  readonly blocks: readonly PanelBlock[];
  /** Small text at the end, above the last buttons and selects, shown without markup. */
  readonly footer?: Plain;
  /** The time of the event (ms since the epoch), shown in the footer; of a period its end, with its start in `since`. */
  readonly at?: number;
  readonly since?: number;
  /** Files that no image shows are listed below the blocks. */
  readonly files?: readonly ReplyFile[];
  /** See {@link Reply}. */
  readonly response?: 'new' | 'update';
  readonly later?: Later;
  /** True if a form does not offer the submitted value: as a page, it has the status 400. @internal */
  readonly isRefused?: true;
}

/** A part of a panel. All texts together have at most 4,000 characters. @category Replies */
export type PanelBlock =
  | { readonly kind: 'text'; readonly text: Markup }
  /** A text with a button beside it. */
  | { readonly kind: 'section'; readonly text: Markup; readonly button: ReplyButton }
  /** A text with a small picture beside it; `description` is for screen readers. */
  | { readonly kind: 'thumbnail'; readonly text: Markup; readonly url: string; readonly description: Plain }
  /** A picture: the name of one of the panel's files; `description` is for screen readers. */
  | { readonly kind: 'image'; readonly file: string; readonly description: Plain }
  | { readonly kind: 'separator' }
  | { readonly kind: 'select'; readonly select: ReplySelect }
  | { readonly kind: 'buttons'; readonly buttons: readonly ReplyButton[] };

/**
 * A field of a modal with a label (up to 45 characters) and a description (up to 100): a text, a select, `radios` of
 * which one is selected, `checkboxes`, or a single `checkbox`. Those without a choice are left out.
 * @category Replies
 */
export type ModalField = {
  /** Distinct within the modal; the key in the fields of the input. */
  readonly name: string;
  readonly label: Plain;
  readonly description?: Plain;
  /** Default: true. */
  readonly required?: boolean;
} & (
  | {
      readonly kind: 'text';
      /** Default: false. */
      readonly multiline?: boolean;
      /** Characters, at most 4,000. */
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly value?: string;
      readonly placeholder?: Plain;
      /** True if it is for a number: pages make it narrow. @internal */
      readonly isNumber?: true;
      /** Texts that pages insert at a press. @internal */
      readonly inserts?: readonly string[];
    }
  | Select
  | {
      readonly kind: 'radios';
      /** 2 to 10, and at most one of them selected. */
      readonly choices: readonly SelectChoice[];
    }
  | {
      readonly kind: 'checkboxes';
      /** At most 10. */
      readonly choices: readonly SelectChoice[];
      /** How many can be checked; by default at least one if the field is required, and at most all. */
      readonly minValues?: number;
      readonly maxValues?: number;
    }
  /** The upload of one file: its id, and what it is in `resolved.files` of the input. */
  | { readonly kind: 'file' }
  /** `required` means nothing here. */
  | { readonly kind: 'checkbox'; readonly checked?: boolean }
);

/**
 * A form, returned in place of a reply; its submission calls the action. Discord opens it only as the immediate
 * response, so the command must return it within a second; and not in response to another modal.
 * @category Replies
 */
export interface Modal extends ActionTarget {
  readonly kind: 'modal';
  /** Up to 45 characters. */
  readonly title: Plain;
  /** One to five. */
  readonly fields: readonly ModalField[];
}
