import { liveNodeOptions, liveOptions } from '../../options/live-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const collectOptions = {
  ...liveOptions,
  ...liveNodeOptions,
  connections: {
    type: 'boolean',
    description:
      'Also collect the UDP connections of the node, with the addresses\nof clients. verify and explain report connections to missing endpoints.',
  },
  ...commonOptions,
} as const satisfies OptionTable
