import { clusterOptions } from '../../options/cluster-options.js'
import { manifestOptions, objectOptions } from '../../options/input-options.js'
import { liveNodeOptions, liveOptions } from '../../options/live-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

const { node: _, ...settings } = clusterOptions
const { live: __, ssh: ___, ...debugOptions } = liveNodeOptions

export const doctorOptions = {
  ...objectOptions,
  ...liveOptions,
  live: {
    type: 'boolean',
    description:
      'Like --cluster, and check the rules of the nodes: those in their\nPods of kube-proxy (kubectl exec). Only reads.',
  },
  ...debugOptions,
  dump: {
    type: 'string',
    multiple: true,
    placeholder: 'FILE|DIR',
    description:
      'Check the rules in these files: of collect --live, or one dump\nfor each node, with the name of the node: node-1.dump.',
  },
  node: {
    type: 'string',
    multiple: true,
    placeholder: 'NAME',
    description: 'Check only this node; repeatable. Default: all Nodes.',
  },
  namespace: {
    type: 'string',
    short: 'n',
    placeholder: 'NAME',
    description: 'Check only the Services in this namespace.',
  },
  assume: manifestOptions.assume,
  'no-assume': manifestOptions['no-assume'],
  ...settings,
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description: 'text: a table and the causes (default). json: one document.',
  },
  ...commonOptions,
} as const satisfies OptionTable
