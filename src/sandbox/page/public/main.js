import { startChat } from './chat.js';
import { startComposer } from './composer.js';
import { startHints } from './hints.js';
import { startPlaces } from './places.js';
import { follow } from './requests.js';
import { startService } from './service.js';
import { createStore } from './store.js';
import { keepTimesCurrent } from './time.js';
import { startViews } from './views.js';

const store = createStore();
startPlaces(store);
startChat(store);
startComposer(store);
startService(store);
startHints(store);
startViews(store);
keepTimesCurrent();
follow(store);
