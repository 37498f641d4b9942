import { commonOptions, type OptionTable } from '../../options/option.js'

export const collectOptions = {
  connections: {
    type: 'boolean',
    description:
      'Also collect the UDP connections of the node, with the addresses\nof clients: verify and explain report those without an endpoint.',
  },
  ...commonOptions,
} as const satisfies OptionTable
