declare const source: unique symbol;
/** A text of the catalogue without markup, for buttons, descriptions, and pages in the browser. */
export type PlainMessage<Message extends string = string> = string & { readonly [source]: Message };

type PlainMessages<Messages> = {
  readonly [Key in keyof Messages]: Messages[Key] extends string
    ? PlainMessage<Messages[Key]>
    : PlainMessages<Messages[Key]>;
};

/** Marks texts of a catalogue as plain. */
export function plain<const Messages extends object>(messages: Messages): PlainMessages<Messages> {
  return messages as PlainMessages<Messages>;
}

type Forms = { readonly one: string; readonly other: string };

/** The keys of the texts in a group. */
type KeysOf<Group, Prefix extends string = ''> = {
  [Key in keyof Group & (string | number)]: Group[Key] extends string | Forms
    ? `${Prefix}${Key}`
    : KeysOf<Group[Key], `${Prefix}${Key}.`>;
}[keyof Group & (string | number)];

/** The text at a key, or its forms for numbers. */
type MessageAt<Group, Key extends string> = {
  [Name in keyof Group & (string | number)]: Key extends `${Name}`
    ? Group[Name]
    : Key extends `${Name}.${infer Rest}`
      ? MessageAt<Group[Name], Rest>
      : never;
}[keyof Group & (string | number)];

/** The texts of a catalogue by their keys, such as `claim.claimed`. */
export type Flat<Catalogue> = { readonly [Key in KeysOf<Catalogue>]: MessageAt<Catalogue, Key> };

type SourceOf<Message> = Message extends { readonly [source]: infer Text } ? Text : Message;
type PlaceholdersIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | PlaceholdersIn<Rest> : never;
type PlaceholdersOf<Message> = Message extends string
  ? PlaceholdersIn<SourceOf<Message>>
  : 'count' | PlaceholdersIn<SourceOf<Message[keyof Message]>>;

/**
 * The values of a message's placeholders. In one that depends on a number, `count` is that number. Numbers are
 * formatted.
 */
type ValuesFor<Message, Value> = {
  readonly [Name in PlaceholdersOf<Message>]: Message extends string
    ? Value | number
    : Name extends 'count'
      ? number
      : Value | number;
};

/** The argument after a key: the values of the placeholders in its text, if it has some. */
export type ValuesOf<Message, Value> = Message extends unknown
  ? [PlaceholdersOf<Message>] extends [never]
    ? []
    : [values: ValuesFor<Message, Value>]
  : never;

/** True if a text, or all of its forms, are plain. */
export type IsPlain<Message> = Message extends PlainMessage | { readonly other: PlainMessage } ? true : false;

/** The names of the texts in a group, of keys that begin with that of the group. */
export type NameIn<Keys, Group extends string> = Keys extends `${Group}.${infer Name}` ? Name : never;
