import { startChat } from './chat.ts';
import { startComposer } from './composer.ts';
import { styleComponents } from './discord-components.ts';
import { startDoctor } from './doctor.ts';
import { startModal } from './modal.ts';
import { startMemberList, startProfile, startRoleSettings } from './profile.ts';
import { startRelativeTimes } from './render-markdown.ts';
import { subscribeToEvents } from './requests.ts';
import { createSandboxTime } from './sandbox-time.ts';
import { startFaultPanel, startServicePanel } from './service-panel.ts';
import { startSettings, startTheme, storedTheme } from './settings.ts';
import { startChannelBar, startSidebar } from './sidebar.ts';
import { createPageStore } from './store.ts';
import { startTimeline } from './timeline.ts';
import { startTours } from './tour-panel.ts';
import { startViews } from './views.ts';

styleComponents();
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
  startRelativeTimes,
];
for (const start of parts) start(store);
subscribeToEvents(store);
