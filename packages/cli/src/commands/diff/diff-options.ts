import { clusterOptions } from '../../options/cluster-options.js'
import { familyChoice } from '../../options/family-choice.js'
import { manifestOptions } from '../../options/input-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const diffOptions = {
  ...clusterOptions,
  ...manifestOptions,
  family: {
    ...familyChoice,
    description: 'The address families. Default: both.',
  },
  backend: {
    type: 'string',
    choices: ['nft', 'legacy'],
    description: 'Which iptables the node has: iptables-nft (default) or\niptables-legacy.',
  },
  stat: {
    type: 'boolean',
    description: 'Print a summary by service port in place of the runs.',
  },
  traffic: {
    type: 'boolean',
    description: 'Print what changes for packets in place of the runs.',
  },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json', 'markdown'],
    description:
      'text: the runs (default). json: the patch, the runs and the\ndiagnostics in one document, also where nothing changes.\nmarkdown: with --traffic, for a comment on a pull request.',
  },
  ...commonOptions,
} as const satisfies OptionTable
