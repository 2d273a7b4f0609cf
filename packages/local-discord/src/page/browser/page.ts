import { second } from '@tallyhook/platform/durations';
import { styleComponents } from '../../web/browser/discord-components.ts';
import { updateRelativeTimes } from '../../web/browser/render-markdown.ts';
import { type ChatOptions, startChat } from './chat.ts';
import { Composer } from './composer.ts';
import { styleCommands } from './message.ts';
import { startModal } from './modal.ts';
import { createPageClock } from './page-clock.ts';
import { startMemberList, startProfile, startRoleSettings } from './profile.ts';
import { subscribeToEvents } from './requests.ts';
import { startSettings, startTheme, storedTheme } from './settings.ts';
import { startChannelBar, startSidebar } from './sidebar.ts';
import { PageStore } from './store.ts';
import { startViews } from './views.ts';

/**
 * A function by which a program mounts its views in the parts of the page that are its own, before the first event
 * arrives. Its listeners are called before those of Discord's views.
 */
export type BrowserExtension<Added extends { readonly kind: string }> = (store: PageStore<Added>) => ChatOptions;

/** Starts the views of the extension and those of Discord, and receives events. */
export function startPage<Added extends { readonly kind: string } = never>(extend: BrowserExtension<Added>): void {
  styleComponents();
  styleCommands();
  const extended = new PageStore<Added>(createPageClock(), storedTheme());
  const chatOptions = extend(extended);
  const store: PageStore = extended;
  startTheme(store);
  startSidebar(store);
  startMemberList(store);
  startProfile(store);
  startRoleSettings(store);
  startChannelBar(store);
  startChat(store, chatOptions);
  new Composer(store).start();
  startModal(store, chatOptions.linkTo);
  startSettings(store);
  startViews(store);
  const updateTimes = () => updateRelativeTimes(store.state.clock.now());
  setInterval(updateTimes, second);
  store.on(['time'], updateTimes);
  subscribeToEvents(store);
}
