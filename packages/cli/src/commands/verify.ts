import type { Context } from '../context.js'
import { clusterOptions } from '../options/cluster-options.js'
import { commonOptions } from '../options/common-options.js'
import { dumpOptions } from '../options/dump-options.js'
import { objectOptions } from '../options/object-options.js'
import type { OptionTable } from '../options/option.js'
import type { Command } from './command.js'

export const verifyOptions = {
  ...objectOptions,
  ...dumpOptions,
  ...clusterOptions,
  family: {
    type: 'string',
    choices: ['4', '6', 'both'],
    description:
      'The address families to verify. Default: those of which the\n' +
      'dump has something, or both where it does not tell.',
  },
  backend: {
    type: 'string',
    choices: ['nft', 'legacy'],
    description: 'Which iptables the node has, for --script: iptables-nft\n(default) or iptables-legacy.',
  },
  script: {
    type: 'boolean',
    description: 'Print the runs that repair the node in place of the drift.',
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

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Compare what a node holds with the rules for a cluster.',
  usage: 'verify -f FILE|DIR|- --dump FILE|- [options]',
  description:
    'Prints what a node holds that kube-proxy would not have programmed for a cluster, and what is\n' +
    'missing there, by service port. Rules of other programs are left alone. What the dump says\n' +
    'nothing of is named in a warning.',
  options: verifyOptions,
  examples: [
    'iptables-save | kube-rules verify -f cluster.yaml --node node-1 --dump -',
    'kube-rules verify -f cluster.yaml --mode ipvs --dump rules.txt --dump sets.txt',
    'kube-rules verify -f cluster.yaml --dump node.dump --script',
    'kube-rules verify -f cluster.yaml --dump node.dump -o json',
  ],
  run: async (context: Context): Promise<number> => {
    const { runVerify } = await import('./verify/run-verify.js')
    return runVerify(context, verifyOptions)
  },
}
