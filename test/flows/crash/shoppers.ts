import { once } from 'node:events';
import type { InteractionHandle, LocalDiscord, Message } from 'local-discord';
import { controlsOf } from '../../../packages/local-discord/src/objects.ts';
import { textOf } from '../../support/message-text.ts';
import { manager, shoppers } from './community.ts';

/** What each shopper buys, in turn. */
const wishes = [['vip'], ['shout'], ['key', 'last']];

/** A confirmation that a shopper has seen. */
export interface Confirmation {
  /** Of the interaction that it answers, which identifies the purchase. */
  readonly id: string;
  readonly userId: string;
  readonly messageId: string;
}

/**
 * Members who open the shop, choose an item and press Confirm, again if they see no answer; and a manager who fulfils or
 * refunds what was reported.
 */
export class Shoppers {
  readonly confirmations: Confirmation[] = [];
  readonly #discord: LocalDiscord;
  #rounds = 0;

  constructor(discord: LocalDiscord) {
    this.#discord = discord;
  }

  /** One purchase of each shopper, unless the programs are killed before. */
  async buy(killed: AbortSignal): Promise<void> {
    this.#rounds += 1;
    const over = once(killed, 'abort').then(() => null);
    const settled = ({ settled: answer }: InteractionHandle) => Promise.race([answer.catch(() => null), over]);
    const buyOne = async (userId: string, items: readonly string[]) => {
      while (!killed.aborted && !(await this.#buy(userId, items, settled)));
    };
    await Promise.all([
      ...shoppers.map((userId, index) => buyOne(userId, wishes[index] ?? [])),
      ...this.#settleReports().map(settled),
    ]);
  }

  /** The confirmations that were not answered. */
  get unanswered(): Confirmation[] {
    return this.confirmations.filter((confirmation) => buttonsOf(this.#shown(confirmation), 'Confirm').length > 0);
  }

  /** Presses everything that was not answered. Rejects if something still is not. */
  async finish(): Promise<void> {
    const clicks = [...this.unanswered.flatMap((each) => this.#confirm(each) ?? []), ...this.#settleReports()];
    await Promise.all(clicks.map(({ settled }) => settled));
  }

  /** The manager presses a button of each report that has one. */
  #settleReports(): InteractionHandle[] {
    return this.#discord.messages(this.#discord.channels.premium).flatMap((report, index) => {
      const [button] = buttonsOf(report, index % 2 === 0 ? 'Refund' : 'Done');
      return button === undefined ? [] : [this.#discord.clickButton(report.id, button, manager)];
    });
  }

  /** The ids of the confirmations that were answered with a receipt. */
  get acknowledged(): string[] {
    return this.confirmations
      .filter((confirmation) => /^(### )?(Thank you!|Refunded)/.test(textOf(this.#shown(confirmation))))
      .map(({ id }) => id);
  }

  /** Returns whether the item was bought, or is sold out. */
  async #buy(
    userId: string,
    items: readonly string[],
    settled: (handle: InteractionHandle) => Promise<Message | null>,
  ): Promise<boolean> {
    // A double click is one purchase.
    const confirm = (confirmation: Confirmation) =>
      Promise.all(
        [this.#confirm(confirmation), this.#confirm(confirmation)].map(async (click) => click && settled(click)),
      );
    for (const confirmation of this.unanswered.filter((each) => each.userId === userId)) await confirm(confirmation);

    const channelId = this.#discord.channels.general;
    const shop = await settled(this.#discord.runCommand({ name: 'shop', userId, channelId }));
    if (shop === null) return false;
    const item = items[this.#rounds % items.length];
    const button = buttonsOf(shop, 'Buy').find((customId) => customId.endsWith(`=${item}`));
    if (button === undefined) return true;
    const choice = this.#discord.clickButton(shop.id, button, userId);
    const asked = await settled(choice);
    if (asked === null) return false;
    const confirmation = { id: choice.id, userId, messageId: asked.id };
    this.confirmations.push(confirmation);
    const answers = await confirm(confirmation);
    return answers.some((answer) => answer !== null);
  }

  #confirm(confirmation: Confirmation): InteractionHandle | null {
    const [button] = buttonsOf(this.#shown(confirmation), 'Confirm');
    return button === undefined ? null : this.#discord.clickButton(confirmation.messageId, button, confirmation.userId);
  }

  #shown({ userId, messageId }: Confirmation): Message | undefined {
    return this.#discord.messages(this.#discord.channels.general, userId).find(({ id }) => id === messageId);
  }
}

/** The custom ids of the buttons with a label that can be pressed. */
function buttonsOf(message: Message | null | undefined, label: string): string[] {
  return controlsOf(message?.components ?? []).flatMap((each) =>
    'label' in each && each.label === label && !each.disabled ? [each.custom_id ?? ''] : [],
  );
}
