import type { Context } from '../context.js'
import { clusterOptions } from '../options/cluster-options.js'
import { commonOptions } from '../options/common-options.js'
import { dumpOptions } from '../options/dump-options.js'
import type { OptionTable } from '../options/option.js'
import type { Command } from './command.js'

export const explainOptions = {
  filename: {
    type: 'string',
    short: 'f',
    multiple: true,
    placeholder: 'FILE|DIR|-',
    description: 'The objects of the cluster, as for render. They also tell why.',
  },
  ...dumpOptions,
  from: {
    type: 'string',
    placeholder: 'WHERE',
    description: 'pod, node, outside, or the address the packet comes from.\nDefault: each of the three in turn.',
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
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description: 'text: a tree (default). json: every step, in one document.',
  },
  ...commonOptions,
} as const satisfies OptionTable

export const explainCommand: Command = {
  name: 'explain',
  summary: 'Print where a packet goes, and why.',
  usage: 'explain -f FILE|DIR|- | --dump FILE [DESTINATION] [options]',
  description:
    'Follows the first packet of a connection through the rules for the objects of -f, or through\n' +
    'those of a live node that --dump names. With both, it follows the live rules and says where\n' +
    'the objects ask for something else. DESTINATION is an address and port such as\n' +
    '10.96.0.10:53/udp or [fd00::1]:443; without a protocol tcp; node:30080 is a port of the node.',
  options: explainOptions,
  examples: [
    'kube-rules explain -f cluster.yaml 10.96.0.10:53/udp --from pod',
    'kube-rules explain -f cluster.yaml node:30080 --from outside',
    'iptables-save | kube-rules explain --dump - 192.168.0.41:30080 --node-address 192.168.0.41',
    'kube-rules explain -f cluster.yaml --all',
  ],
  run: async (context: Context): Promise<number> => {
    const { runExplain } = await import('./explain/run-explain.js')
    return runExplain(context, explainOptions)
  },
}
