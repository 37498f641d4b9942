import { clusterOptions } from '../../options/cluster-options.js'
import { familyChoice } from '../../options/family-choice.js'
import { dumpOptions, objectOptions } from '../../options/input-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const verifyOptions = {
  ...objectOptions,
  ...dumpOptions,
  ...clusterOptions,
  family: {
    ...familyChoice,
    description:
      'The address families to verify. Default: those of which the\n' +
      'dump has something, or both where it does not tell.',
  },
  backend: {
    type: 'string',
    choices: ['nft', 'legacy'],
    description: 'Which iptables the node has, for --script: iptables-nft\n(default) or iptables-legacy.',
  },
  complete: {
    type: 'boolean',
    description:
      'The dump has all that the node holds: what it lacks is gone.\nWithout it, what it lacks is not verified.',
  },
  script: {
    type: 'boolean',
    description: 'Print a script for sh that repairs the node in place of the\ndrift.',
  },
  anyway: {
    type: 'boolean',
    description: 'Print the script also where it is doubtful that the node is the\none that was compiled for.',
  },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description:
      'text: the drift by service port (default). json: the report,\nthe runs and the diagnostics in one document.',
  },
  ...commonOptions,
} as const satisfies OptionTable
