import './seams.ts';
import '../../../src/sandbox/page/browser/main.ts';
