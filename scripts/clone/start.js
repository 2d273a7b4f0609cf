// Starts the program of a clone: as a bundle if there is one of these sources, because it needs 100 MB less memory and a
// third of the time to start; otherwise from the sources. In JavaScript that old versions of Node can parse.
import { findChange } from './bundle-state.js';

var change = findChange();
if (change !== null) console.error('Running from the sources, since ' + change + '. "npm ci" makes the bundle again.');
void import(change === null ? '../../dist/program/launch.js' : '../../src/launch.js');

// npm stops the shell in which it runs this, and the shell passes no signal on: without it, nobody would stop the program.
var shell = process.ppid;
if (process.env.npm_lifecycle_event !== undefined) {
  var watch = setInterval(function () {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}
