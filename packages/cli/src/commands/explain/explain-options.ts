import { clusterOptions } from '../../options/cluster-options.js'
import { dumpOptions, manifestOptions } from '../../options/input-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const explainOptions = {
  filename: {
    type: 'string',
    short: 'f',
    multiple: true,
    placeholder: 'FILE|DIR|-',
    description: 'The objects of the cluster, as for print. They also tell why.',
  },
  ...dumpOptions,
  from: {
    type: 'string',
    placeholder: 'WHERE',
    description: 'pod, node, outside, or the address the packet comes from.\nDefault: each of the three in turn.',
  },
  established: {
    type: 'boolean',
    description: 'Ask about packets of a flow that exists already, not about the\nfirst of a connection.',
  },
  all: {
    type: 'boolean',
    description: 'Print a table of every frontend and what becomes of packets\nfrom pods, the node and outside.',
  },
  'node-address': {
    type: 'string',
    multiple: true,
    placeholder: 'IP',
    description:
      'With --dump alone: an address of the node; may be given several\n' +
      'times. Without it nobody can tell which addresses are its own.',
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
