import { toSelectOption } from '../../web/browser/select.ts';
import type { MessageView, SelectOption, ShownSelect } from '../../web/browser/shown-message.ts';
import { pictureOf } from './profile.ts';
import { localeOf, type State } from './store.ts';

/** Names, pictures and files of messages for the acting member. The page never loads anything from elsewhere. */
export function messageView(state: State, linkTo: MessageView['linkTo']): MessageView {
  return {
    locale: localeOf(state),
    now: () => state.clock.now(),
    nameOf({ kind, id }) {
      const { members, strangers, bot, roles, channels } = state;
      const items = { user: [...members, ...strangers, bot], role: roles, channel: channels }[kind];
      return items.find((each) => each.id === id)?.name;
    },
    pictureAt: (url, name = state.guild.name) => pictureSource(url, name, state),
    fileAt: localPath,
    linkTo,
    optionsOf: (select) => selectOptions(select, state),
  };
}

/** The path of a file on the local Discord; null for external URLs, which the page never loads. */
function localPath(url: string): string | null {
  const path = new URL(url, location.href).pathname;
  return path.startsWith('/attachments/') ? path : null;
}

/** The address of a picture of a member or a guild on Discord's CDN. */
const portrait = /^https:\/\/cdn\.discordapp\.com\/(?:icons|avatars|guilds\/\d+\/users)\/(\d{1,20})\//;

/** A picture's source: a file on the local Discord, or the page's own one for a member or guild; null for others. */
function pictureSource(url: string, name: string, state: State): string | null {
  const [, id] = portrait.exec(url) ?? [];
  return id === undefined ? localPath(url) : pictureOf(id, name, state);
}

/** The options of a select: its own, or members, roles and channels. Discord: "Component Types", 3 and 5 to 8. */
export function selectOptions(
  component: ShownSelect,
  { members, roles, channels, channelId, userId }: State,
): readonly SelectOption[] {
  const defaults = component.type === 3 ? [] : (component.default_values ?? []);
  const toOptions = (items: readonly { id: string; name: string }[], sign: string): readonly SelectOption[] =>
    items.map(({ id, name }) => ({
      value: id,
      label: sign + name.replace(/^@/, ''),
      selected: defaults.some((each) => each.id === id),
    }));
  const isDirect = channels.some(({ id, with: recipient }) => id === channelId && recipient !== null);
  const offeredMembers = members.filter(({ id, isMember }) => (isDirect ? id === userId : isMember));
  const offeredRoles = isDirect ? [] : roles;
  switch (component.type) {
    case 3:
      return component.options.map(toSelectOption);
    case 5:
      return toOptions(offeredMembers, '@');
    case 6:
      return toOptions(offeredRoles, '@');
    case 7:
      return [...toOptions(offeredMembers, '@'), ...toOptions(offeredRoles, '@')];
    case 8: {
      // Text channels (type 0) are the only kind in the guild.
      const offersText = !component.channel_types?.length || component.channel_types.includes(0);
      return toOptions(isDirect || !offersText ? [] : channels.filter(({ kind }) => kind === 'guild'), '#');
    }
  }
}
