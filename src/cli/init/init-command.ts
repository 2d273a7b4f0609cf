import { command } from '../../terminal/command.ts';
export const initCommand = command({ help: '', options: {}, run: async () => 0 });
