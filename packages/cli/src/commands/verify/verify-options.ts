import { clusterOptions } from '../../options/cluster-options.js'
import { familyOption } from '../../options/family-option.js'
import { dumpOptions, objectOptions } from '../../options/input-options.js'
import { collectOnlyOption, liveNodeOptions, liveOptions } from '../../options/live-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const verifyOptions = {
  ...objectOptions,
  ...liveOptions,
  ...dumpOptions,
  ...liveNodeOptions,
  ...collectOnlyOption,
  ...clusterOptions,
  family: {
    ...familyOption,
    description: 'The address families to verify. Default: those in the dump, or\n' + 'both if it has no family.',
  },
  backend: {
    type: 'string',
    choices: ['nft', 'legacy'],
    description: 'The iptables back end of the node, for --script: nft (default)\nor legacy.',
  },
  complete: {
    type: 'boolean',
    description:
      'Treat the dump as complete: anything missing from it is drift.\nOtherwise missing parts are reported as not verified.',
  },
  script: {
    type: 'boolean',
    description: 'Instead of the drift, print a sh script that repairs the\nnode.',
  },
  anyway: {
    type: 'boolean',
    description:
      'Print the script even if the dump may belong to another node,\nconfiguration or mode (the script may delete rules).',
  },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description:
      'text: the drift by service port (default). json: the report,\nthe commands and the diagnostics in one document.',
  },
  ...commonOptions,
} as const satisfies OptionTable
