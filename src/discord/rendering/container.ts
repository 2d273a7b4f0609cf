import { type APIComponentInContainer, ComponentType } from 'discord-api-types/v10';

/** A zero-width space: Discord rejects empty containers. */
const blank = '\u200B';

/** What the containers of one message share. */
export interface ContainerBudget {
  /** Components that the container may have, itself and nested ones included. At least 2. */
  readonly components: number;
  /** The keys of the buttons and selects in the message: Discord accepts each custom id once. */
  readonly keys: Set<string>;
}

/** Collects the components of a container within a budget. Adjacent texts become one text display. */
export type ContainerBuilder = ReturnType<typeof createContainerBuilder>;

/** @param footer empty for none */
export function createContainerBuilder(budget: ContainerBudget, footer: string) {
  const components: APIComponentInContainer[] = [];
  /** The text display to which texts are added. */
  let open: { content: string; separator: string } | null = null;
  let reserved = footer === '' ? 0 : 1;
  let room = budget.components - 1 - reserved;

  function close(): void {
    if (open !== null) components.push({ type: ComponentType.TextDisplay, content: open.content });
    open = null;
  }

  return {
    /**
     * Adds a component that counts as `count`, and the buttons and selects of these keys. Adds nothing and returns false
     * if it does not fit, or a key is used already.
     */
    add(component: APIComponentInContainer, count: number, keys: readonly string[] = []): boolean {
      if (count > room || keys.some((key) => budget.keys.has(key))) return false;
      close();
      room -= count;
      for (const key of keys) budget.keys.add(key);
      components.push(component);
      return true;
    },
    /** Adds a text; `separator` is put between it and an adjacent text that follows. Empty texts are left out. */
    addText(text: string, separator: string): void {
      if (text.trim() === '') return;
      if (open !== null) {
        open = { content: open.content + open.separator + text, separator };
        return;
      }
      if (room > 0) room -= 1;
      // No other component fits any more, so that the footer will be part of this text display.
      else if (reserved > 0) reserved -= 1;
      else return;
      open = { content: text, separator };
    },
    /** Components that still fit. */
    room: () => room,
    isUsed: (key: string) => budget.keys.has(key),
    /** Adds the footer on a line of its own. Until then there is always room for it. */
    addFooter(): void {
      if (footer === '') return;
      if (open !== null) room += reserved;
      reserved = 0;
      open = { content: open === null ? footer : `${open.content}\n${footer}`, separator: '\n' };
    },
    finish(): APIComponentInContainer[] {
      close();
      const shown = components.filter(({ type }, index) => type !== ComponentType.Separator || divides(index));
      return shown.length === 0 ? [{ type: ComponentType.TextDisplay, content: blank }] : shown;
    },
  };

  /** Whether something is before and after a separator, and no other separator. */
  function divides(index: number): boolean {
    const isLast = components.slice(index).every(({ type }) => type === ComponentType.Separator);
    return index > 0 && components[index - 1]?.type !== ComponentType.Separator && !isLast;
  }
}
