import { clusterOptions } from '../../options/cluster-options.js'
import { familyChoice } from '../../options/family-choice.js'
import { dumpOptions, manifestOptions, objectOptions } from '../../options/input-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const compareOptions = {
  ...objectOptions,
  modes: {
    type: 'string',
    placeholder: 'A,B',
    description: 'Two proxy modes: the rules of one against those of the other.',
  },
  'kubernetes-versions': {
    type: 'string',
    placeholder: 'A,B',
    description: 'Two versions of kube-proxy, such as 1.33,1.34.',
  },
  unexpected: {
    type: 'boolean',
    description: 'With --modes: leave out what the modes are known to do\notherwise, and say how much that is.',
  },
  ...dumpOptions,
  ...clusterOptions,
  ...manifestOptions,
  family: {
    ...familyChoice,
    description: 'The address families. Default: both, of a dump those it has\nsomething of.',
  },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json', 'markdown'],
    description:
      'text: the differences (default). json: all of it in one\ndocument. markdown: for a comment on a pull request.',
  },
  ...commonOptions,
} as const satisfies OptionTable
