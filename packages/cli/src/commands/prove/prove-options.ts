import { clusterOptions } from '../../options/cluster-options.js'
import { familyOption } from '../../options/family-option.js'
import { manifestOptions, objectOptions } from '../../options/input-options.js'
import { liveOptions } from '../../options/live-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const proveOptions = {
  ...objectOptions,
  ...liveOptions,
  ...clusterOptions,
  ...manifestOptions,
  family: { ...familyOption, description: 'The address families. Default: both.' },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description: 'text: one line for each family (default). json: one document.',
  },
  ...commonOptions,
} as const satisfies OptionTable
