import './discord-components.ts';
import { startChannelBar } from './channel-bar.ts';
import { startChat } from './chat.ts';
import { startComposer } from './composer.ts';
import { dressLibrary } from './discord-components-style.ts';
import { startHints } from './hints.ts';
import { startModal } from './modal.ts';
import { follow } from './requests.ts';
import { keepTimesCurrent } from './sandbox-time.ts';
import { startService } from './service.ts';
import { startPlaces } from './sidebar.ts';
import { createPageStore } from './store.ts';
import { startTimeline } from './timeline.ts';
import { startTrouble } from './trouble.ts';
import { startViews } from './views.ts';

dressLibrary();
const store = createPageStore();
const parts = [
  startPlaces,
  startChannelBar,
  startChat,
  startComposer,
  startModal,
  startService,
  startTrouble,
  startTimeline,
  startHints,
  startViews,
  keepTimesCurrent,
];
for (const start of parts) start(store);
follow(store);
