import { clusterOptions } from '../../options/cluster-options.js'
import { dumpOptions, manifestOptions } from '../../options/input-options.js'
import { collectOnlyOption, liveNodeOptions, liveOptions } from '../../options/live-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const explainOptions = {
  filename: {
    type: 'string',
    short: 'f',
    multiple: true,
    placeholder: 'FILE|DIR|-',
    description: 'The objects of the cluster, as for print. Needed to print reasons.',
  },
  ...liveOptions,
  ...dumpOptions,
  ...liveNodeOptions,
  ...collectOnlyOption,
  from: {
    type: 'string',
    placeholder: 'WHERE',
    description: 'The source: pod, node, outside, or an address.\nDefault: each of the three in turn.',
  },
  established: {
    type: 'boolean',
    description: 'Explain packets of an existing flow instead of the first packet\nof a connection.',
  },
  all: {
    type: 'boolean',
    description:
      'Print a reachability table: every frontend with the outcome for\npackets from pods, the node and outside.',
  },
  'node-address': {
    type: 'string',
    multiple: true,
    placeholder: 'IP',
    description:
      'With --dump alone: an address of the node; repeatable. Without it\n' + 'the local addresses are unknown.',
  },
  ...clusterOptions,
  ...manifestOptions,
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description: 'text: a tree (default). json: every step, in one document.',
  },
  ...commonOptions,
} as const satisfies OptionTable
