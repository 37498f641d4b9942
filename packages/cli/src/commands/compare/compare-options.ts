import { clusterOptions } from '../../options/cluster-options.js'
import { familyOption } from '../../options/family-option.js'
import { dumpOptions, manifestOptions, objectOptions } from '../../options/input-options.js'
import { collectOnlyOption, liveNodeOptions, liveOptions } from '../../options/live-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const compareOptions = {
  ...objectOptions,
  ...liveOptions,
  modes: {
    type: 'string',
    placeholder: 'A,B',
    description: 'Compare the rules of two proxy modes.',
  },
  'kubernetes-versions': {
    type: 'string',
    placeholder: 'A,B',
    description: 'Compare two versions of kube-proxy, such as 1.23,1.32, and\nprint the causes of each difference.',
  },
  unexpected: {
    type: 'boolean',
    description: 'With --modes: omit known limitations of the modes and\ncount them.',
  },
  ...dumpOptions,
  ...liveNodeOptions,
  ...collectOnlyOption,
  ...clusterOptions,
  ...manifestOptions,
  family: {
    ...familyOption,
    description: 'The address families. Default: both, or those in the dump.',
  },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json', 'markdown'],
    description: 'text: the differences (default). json: one document.\nmarkdown: for a comment on a pull request.',
  },
  ...commonOptions,
} as const satisfies OptionTable
