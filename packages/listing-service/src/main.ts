#!/usr/bin/env node
import { processTerminal } from '@tallyhook/platform/terminal/process-terminal';
import { serviceCommand } from './cli/service-command.ts';

process.exitCode = await serviceCommand(process.argv.slice(2), processTerminal());
