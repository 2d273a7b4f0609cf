#!/usr/bin/env node
import { processTerminal } from '@tallyhook/platform/terminal/process-terminal';
import { localDiscordCommand } from './cli.ts';

process.exitCode = await localDiscordCommand(process.argv.slice(2), processTerminal());
