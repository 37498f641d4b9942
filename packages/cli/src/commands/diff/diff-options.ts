import { clusterOptions } from '../../options/cluster-options.js'
import { familyOption } from '../../options/family-option.js'
import { manifestOptions, recursiveOption } from '../../options/input-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const diffOptions = {
  ...clusterOptions,
  ...manifestOptions,
  ...recursiveOption,
  family: {
    ...familyOption,
    description: 'The address families. Default: both.',
  },
  backend: {
    type: 'string',
    choices: ['nft', 'legacy'],
    description: 'The iptables back end of the node: nft (default) or legacy.',
  },
  stat: {
    type: 'boolean',
    description: 'Print a summary by service port instead of the commands.',
  },
  traffic: {
    type: 'boolean',
    description: 'Instead of the commands, print the packets that are handled\ndifferently.',
  },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json', 'markdown'],
    description:
      'text: the commands (default). json: the patch, the commands and\nthe diagnostics in one document, even if nothing changes.\nmarkdown: with --traffic, for a comment on a pull request.',
  },
  ...commonOptions,
} as const satisfies OptionTable
