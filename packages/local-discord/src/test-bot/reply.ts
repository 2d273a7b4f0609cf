import { reject } from '../errors.ts';
import type { InteractionHandle } from '../local-discord-interface.ts';
import type { Modal } from '../modal.ts';
import { controlsOf, type Message, type NormalizedControl, textsOf } from '../objects.ts';
import type { TestContext, TestReply } from './interface.ts';

/** Discord: "Message Flags". */
const ephemeralFlag = 1 << 6;
const buttonType = 2;

/** Sends an interaction when the bot is ready for it; resolves with what it answers. */
export async function awaitReply(
  context: TestContext,
  userId: string,
  send: () => InteractionHandle,
): Promise<TestReply> {
  await context.answers();
  const handle = send();
  const callback = await handle.response;
  const modal = callback.type === 9 ? { data: callback.data, interactionId: handle.id } : null;
  const message = modal === null ? await handle.settled : null;
  await context.answers();
  return createReply(context, { userId, message, modal });
}

/** The bot's answer, with everything that the member can do next. */
export function createReply(
  context: TestContext,
  answer: { userId: string; message: Message | null; modal: { data: Modal; interactionId: string } | null },
): TestReply {
  const { discord } = context;
  const { userId, message: first, modal } = answer;

  function current(): Message | null {
    if (first === null) return null;
    const { id, channel_id: channelId } = first;
    const all = [...discord.messages(channelId, null), ...discord.directMessages(userId)];
    return all.find((each) => each.id === id) ?? first;
  }

  function controls(): readonly NormalizedControl[] {
    const message = current() ?? reject('unknown_message', 'This is a modal, not a message.');
    return controlsOf(message.components);
  }

  function use(control: NormalizedControl, by: string, values?: readonly string[]): InteractionHandle {
    const messageId = first?.id ?? '';
    const customId = control.custom_id ?? '';
    if (values === undefined) return discord.clickButton(messageId, customId, by);
    return discord.select({ messageId, customId, userId: by, values });
  }

  return {
    get text() {
      const message = current();
      return message === null ? (modal?.data.title ?? '') : textOf(message);
    },
    get ephemeral() {
      return ((current()?.flags ?? 0) & ephemeralFlag) !== 0;
    },
    get buttons() {
      return controls().flatMap((control) => (control.type === buttonType ? [nameOf(control)] : []));
    },
    get message() {
      return current();
    },
    modal: modal?.data ?? null,
    click: (name, { by = { id: userId } } = {}) =>
      awaitReply(context, by.id, () => {
        const buttons = controls().filter(({ type }) => type === buttonType);
        return use(find(buttons, name, 'button'), by.id);
      }),
    select: (values, { from, by = { id: userId } } = {}) =>
      awaitReply(context, by.id, () => {
        const selects = controls().filter(({ type }) => type !== buttonType);
        const select = from === undefined ? selects[0] : find(selects, from, 'select');
        if (select === undefined) reject('unknown_component', 'The message has no select.');
        return use(
          select,
          by.id,
          [values].flat().map((value) => optionValue(select, value)),
        );
      }),
    submit: (values) =>
      awaitReply(context, userId, () => {
        if (modal === null) reject('no_modal', 'The bot has opened no modal.');
        const ids = new Map(modal.data.components.flatMap(namedFieldsOf));
        const entries = Object.entries(values).map(([name, value]) => [ids.get(name) ?? name, value] as const);
        return discord.submitModal({ interactionId: modal.interactionId, userId, values: Object.fromEntries(entries) });
      }),
  };
}

function textOf({ content, embeds, components }: Message): string {
  const ofEmbeds = embeds.flatMap(({ author, title, description, fields = [], footer }) => [
    author?.name,
    title,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
    footer?.text,
  ]);
  return [content, ...ofEmbeds, ...textsOf(components)].filter(Boolean).join('\n');
}

function find(controls: readonly NormalizedControl[], name: string, noun: string): NormalizedControl {
  const found = controls.find((control) => nameOf(control) === name || control.custom_id === name);
  const names = controls.map((control) => `"${nameOf(control)}"`).join(', ') || 'none';
  return found ?? reject('unknown_component', `The message has no ${noun} "${name}": it has ${names}.`);
}

function nameOf(control: NormalizedControl): string {
  if (control.type !== buttonType) return control.placeholder ?? control.custom_id;
  return control.label ?? control.emoji?.name ?? control.custom_id ?? '';
}

/** The value of an option with this label. */
function optionValue(select: NormalizedControl, value: string): string {
  const options = select.type === 3 ? select.options : [];
  return options.find(({ label }) => label === value)?.value ?? value;
}

/** Custom ids of the fields in a part of a modal, by their labels. */
function namedFieldsOf(part: Modal['components'][number]): (readonly [label: string, id: string])[] {
  if (part.type === 1) return part.components.map(({ label, custom_id }) => [label, custom_id] as const);
  return part.type === 18 ? [[part.label, part.component.custom_id]] : [];
}
