import './library.ts';
import { startChannelBar } from './channel-bar.ts';
import { startChat } from './chat.ts';
import { startComposer } from './composer.ts';
import { startHints } from './hints.ts';
import { dressLibrary } from './library-look.ts';
import { startModal } from './modal.ts';
import { startPlaces } from './places.ts';
import { follow } from './requests.ts';
import { keepTimesCurrent } from './sandbox-time.ts';
import { startService } from './service.ts';
import { createStore } from './store.ts';
import { startTimeline } from './timeline.ts';
import { startTrouble } from './trouble.ts';
import { startViews } from './views.ts';

dressLibrary();
const store = createStore();
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
