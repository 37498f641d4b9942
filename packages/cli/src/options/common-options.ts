import type { OptionTable } from './option.js'

/** The options of every command. `run-cli.ts` handles `--help`, `report/color.ts` handles `--no-color`. */
export const commonOptions = {
  'no-color': { type: 'boolean', description: 'Never colour anything. So does the environment variable NO_COLOR.' },
  help: { type: 'boolean', short: 'h', description: 'Print this help.' },
} as const satisfies OptionTable
