import type { Context } from '../context.js'
import { clusterOptions } from '../options/cluster-options.js'
import { commonOptions } from '../options/common-options.js'
import type { OptionTable } from '../options/option.js'
import type { Command } from './command.js'

export const diffOptions = {
  ...clusterOptions,
  family: {
    type: 'string',
    choices: ['4', '6', 'both'],
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
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description:
      'text: the runs (default). json: the patch, the runs and the\ndiagnostics in one document, also where nothing changes.',
  },
  ...commonOptions,
} as const satisfies OptionTable

export const diffCommand: Command = {
  name: 'diff',
  summary: 'Print what has to be run when a cluster changes.',
  usage: 'diff OLD NEW [options]',
  description:
    'Prints the runs of iptables-restore and other tools that take a node from the rules for OLD\n' +
    'to the rules for NEW, in their order, and nothing where the rules are the same. OLD and NEW\n' +
    'are each a file of objects, a directory of such files, or - for standard input. Options\n' +
    'hold for both.',
  options: diffOptions,
  examples: [
    'kubectl get svc,endpointslices,nodes -A -o json | kube-rules diff yesterday.json - --node node-1',
    'kube-rules diff old/ new/ --mode iptables --backend legacy',
    'kube-rules diff old.yaml new.yaml --stat',
  ],
  run: async (context: Context): Promise<number> => {
    const { runDiff } = await import('./diff/run-diff.js')
    return runDiff(context, diffOptions)
  },
}
