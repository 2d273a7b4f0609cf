import { second } from '@tallyhook/platform/durations';
import { styleComponents } from 'local-discord/web/browser/discord-components';
import { updateRelativeTimes } from 'local-discord/web/browser/render-markdown';
import { startChat } from './chat.ts';
import { startComposer } from './composer.ts';
import { styleCommands } from './message.ts';
import { startModal } from './modal.ts';
import { startMemberList, startProfile, startRoleSettings } from './profile.ts';
import { subscribeToEvents } from './requests.ts';
import { createSandboxTime } from './sandbox-time.ts';
import { startDoctor, startFaultPanel, startServicePanel } from './service-panel.ts';
import { startSettings, startTheme, storedTheme } from './settings.ts';
import { startChannelBar, startSidebar } from './sidebar.ts';
import { createPageStore } from './store.ts';
import { startTimeline } from './timeline.ts';
import { startTours } from './tour-panel.ts';
import { startViews } from './views.ts';

styleComponents();
styleCommands();
const store = createPageStore(createSandboxTime(), storedTheme());
const parts = [
  startTheme,
  startSidebar,
  startMemberList,
  startProfile,
  startRoleSettings,
  startChannelBar,
  startChat,
  startComposer,
  startModal,
  startSettings,
  startServicePanel,
  startFaultPanel,
  startDoctor,
  startTimeline,
  startTours,
  startViews,
];
for (const start of parts) start(store);
const updateTimes = () => updateRelativeTimes(store.state.clock.now());
setInterval(updateTimes, second);
store.on(['simulation', 'time'], updateTimes);
subscribeToEvents(store);
